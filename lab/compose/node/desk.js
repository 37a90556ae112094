// A service whose routes are lists of steps from a JSON file: node desk.js CONFIG.
'use strict';

const crypto = require('node:crypto');
const fs = require('node:fs');
const http = require('node:http');
const path = require('node:path');
const zlib = require('node:zlib');

const settings = JSON.parse(fs.readFileSync(process.argv[2], 'utf8'));
const now = () => performance.now();
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

// One request: what it spent its time on, in ms.
class Visit {
  constructor() {
    this.begin = now();
    this.spent = {};
    this.status = 200;
    this.bytes = 0;
  }

  add(what, since) {
    this.addMs(what, now() - since);
  }

  addMs(what, ms) {
    this.spent[what] = (this.spent[what] ?? 0) + ms;
  }

  // Adds what branches spent that were there at once: each has its share of the time that all of them took. How long
  // calls took as such is noted beside it.
  absorb(branches, since) {
    const took = now() - since;
    const parts = branches.flatMap((branch) => Object.entries(branch.spent));
    const all = parts.reduce((sum, [, ms]) => sum + ms, 0);
    for (const [what, ms] of parts) {
      this.addMs(what, (ms * took) / all);
      if (what.startsWith('call:')) this.addMs(what.replace('call:', 'whole:'), ms);
    }
    for (const branch of branches) this.status = Math.max(this.status, branch.status);
  }
}

// Sums over all requests so far.
const records = { pid: process.pid, requests: 0, failed: 0, total_ms: 0, sums: {}, histogram_log2_us: new Array(32).fill(0) };

function record(visit) {
  const total = now() - visit.begin;
  records.requests += 1;
  records.failed += visit.status >= 400 ? 1 : 0;
  records.total_ms += total;
  for (const [what, spent] of Object.entries(visit.spent)) {
    records.sums[what] = (records.sums[what] ?? 0) + spent;
  }
  records.histogram_log2_us[Math.min(32 - Math.clz32(Math.max(total * 1000, 0)), 31)] += 1;
}

process.on('SIGUSR2', () => {
  const file = path.join(settings.records, `${settings.name}.${process.pid}.json`);
  fs.writeFileSync(`${file}.new`, JSON.stringify(records));
  fs.renameSync(`${file}.new`, file);
});

// Lets so many in at a time.
class Gate {
  constructor(permits) {
    this.left = permits;
    this.waiting = [];
  }

  enter() {
    if (this.left > 0) {
      this.left -= 1;
      return Promise.resolve();
    }
    return new Promise((done) => this.waiting.push(done));
  }

  leave() {
    const next = this.waiting.shift();
    if (next) {
      next();
    } else {
      this.left += 1;
    }
  }
}

const gates = {};
for (const [name, each] of Object.entries(settings.gates)) gates[name] = new Gate(each.permits);
const locks = {};
for (const name of Object.keys(settings.locks)) locks[name] = new Gate(1);
const agents = {};
for (const [name, each] of Object.entries(settings.neighbours)) {
  agents[name] = new http.Agent({ keepAlive: true, maxSockets: each.max || Infinity });
}
const idle = {};
const pools = {};
for (const [name, each] of Object.entries(settings.pools)) {
  pools[name] = openPool(settings.stores[each.store], each.max);
}

function openPool(store, max) {
  const { host, port, user, password, database } = store;
  if (store.kind === 'redis') {
    const Redis = require('ioredis');
    const clients = Array.from({ length: max }, () => new Redis({ host, port, lazyConnect: true }));
    return { gate: new Gate(max), clients, store };
  }
  if (store.kind === 'postgresql') {
    const { Pool } = require('pg');
    const pool = new Pool({ host, port, user, password, database, max });
    return {
      store,
      take: () => pool.connect(),
      give: (connection) => connection.release(),
    };
  }
  const mysql = require('mysql2/promise');
  const pool = mysql.createPool({ host, port, user, password, database, connectionLimit: max });
  return {
    store,
    take: () => pool.getConnection(),
    give: (connection) => connection.release(),
  };
}

const document = '{"id":17,"text":"a line of words","price":12.5,"tags":["x","y","z"]},'.repeat(20);
const list = `[${document.slice(0, -1)}]`;
const kept = [];
let serial = 0;
let result = 0;

function work(how, rounds) {
  for (let round = 0; round < rounds; round += 1) {
    if (how === 'json') {
      for (let i = 0; i < 5; i += 1) JSON.stringify(JSON.parse(list));
    } else if (how === 'regex') {
      for (let i = 0; i < 60; i += 1) document.match(/"price":([0-9]+)\.([0-9]+)/g);
    } else if (how === 'gzip') {
      zlib.gzipSync(document);
    } else if (how === 'hash') {
      for (let i = 0; i < 36; i += 1) crypto.createHash('sha256').update(document).digest('hex');
    } else {
      result = own(result);
    }
  }
}

function own(start) {
  let sum = start + 17;
  for (let i = 0; i < 65000; i += 1) sum = (Math.imul(sum, 31) + (i % 7)) | 0;
  return sum;
}

function allocate(step) {
  const last = new Array(64);
  for (let i = 0; i < step.bytes / 1024; i += 1) last[i % 64] = new Array(128).fill(i);
  if (step.keep) kept.push(new Array(step.keep >> 3).fill(1.5));
  return last.length;
}

function store(step) {
  for (let i = 0; i < (step.count || 1); i += 1) {
    serial += 1;
    const file = fs.openSync(path.join(settings.directory, `part-${serial % 64}`), fs.constants.O_CREAT | fs.constants.O_WRONLY);
    fs.writeSync(file, Buffer.alloc(step.bytes, 'x'));
    if (step.sync) fs.fsyncSync(file);
    fs.closeSync(file);
  }
}

function ask(visit, name) {
  const begin = now();
  return new Promise((done, failed) => {
    let got = begin;
    const request = http.get(settings.neighbours[name].url, { agent: agents[name] }, (response) => {
      response.on('data', () => {});
      response.on('end', () => {
        visit.spent[`line:call:${name}`] = (visit.spent[`line:call:${name}`] ?? 0) + got - begin;
        visit.add(`call:${name}`, got);
        done(response.statusCode);
      });
    });
    request.on('socket', () => {
      got = now();
    });
    request.on('error', failed);
  });
}

// Asks a neighbour, so often as it says that it cannot.
async function call(visit, step) {
  for (let left = step.tries || 1; left > 0; left -= 1) {
    let status;
    try {
      status = await ask(visit, step.name);
    } catch (error) {
      // A connection that was closed meanwhile: once more on another.
      status = await ask(visit, step.name);
    }
    if (status === 200) return;
    if (left > 1) {
      const begin = now();
      await sleep(step.again_ms);
      visit.add('pause', begin);
    }
  }
  visit.status = 502;
  throw new NotNow();
}

// Leaves a job for a neighbour, and waits until it is done; who waits has a connection to himself.
async function leave(visit, name) {
  const begin = now();
  const { host, port, list } = settings.neighbours[name].jobs;
  const free = (idle[name] ??= []);
  const client = free.pop() ?? new (require('ioredis'))({ host, port });
  serial += 1;
  const reply = `done:${settings.name}:${process.pid}:${serial}`;
  await client.lpush(list, JSON.stringify({ reply, at_ns: Math.round((performance.timeOrigin + performance.now()) * 1e6) }));
  const said = await client.blpop(reply, 30);
  free.push(client);
  visit.add(`call:${name}`, begin);
  if (said?.[1] !== 'done') throw new Error(`${name}: ${said?.[1] ?? 'nothing in 30 s'}`);
}

class NotNow extends Error {}

async function query(visit, step) {
  const pool = pools[step.name];
  let begin = now();
  const connection = await pool.take();
  visit.add(`line:pool:${step.name}`, begin);
  begin = now();
  try {
    for (let i = 0; i < (step.count || 1); i += 1) await statement(connection, pool.store, step);
  } finally {
    pool.give(connection);
    visit.add('db', begin);
  }
}

async function statement(connection, store_, step) {
  const number = 1 + Math.floor(Math.random() * (step.keep || store_.rows));
  const { table } = store_;
  if (step.how === 'change') {
    await connection.query('BEGIN');
    await connection.query(`UPDATE ${table} SET amount_cents = amount_cents + 1 WHERE id = ${number}`);
    if (step.ms) await sleep(step.ms);
    await connection.query('COMMIT');
  } else if (step.how === 'list') {
    const customer = 1 + (number % Math.floor(store_.rows / 100));
    await connection.query(`SELECT amount_cents FROM ${table} WHERE customer_id = ${customer}`);
  } else {
    await connection.query(`SELECT amount_cents FROM ${table} WHERE id = ${number}`);
  }
}

async function get(visit, step) {
  const pool = pools[step.name];
  let begin = now();
  await pool.gate.enter();
  visit.add(`line:pool:${step.name}`, begin);
  begin = now();
  const client = pool.clients.pop();
  try {
    for (let i = 0; i < (step.count || 1); i += 1) await client.get(`entry:${Math.floor(Math.random() * 1000)}`);
  } finally {
    pool.clients.push(client);
    pool.gate.leave();
    visit.add('cache', begin);
  }
}

async function within(visit, gate, what, steps) {
  const begin = now();
  await gate.enter();
  visit.add(what, begin);
  try {
    await take(visit, steps);
  } finally {
    gate.leave();
  }
}

// Takes steps at once, each as a visit of its own.
async function together(visit, steps) {
  const begin = now();
  const branches = steps.map(() => new Visit());
  const ended = await Promise.allSettled(steps.map((step, at) => one(branches[at], step)));
  visit.absorb(branches, begin);
  const failed = ended.find((each) => each.status === 'rejected');
  if (failed) throw failed.reason;
}

function working(visit, task) {
  const begin = now();
  const cpu = process.cpuUsage();
  task();
  const spent = process.cpuUsage(cpu);
  const wall = now() - begin;
  visit.addMs('work', wall);
  visit.addMs('work_cpu', Math.min((spent.user + spent.system) / 1000, wall));
}

async function take(visit, steps) {
  for (const step of steps) await one(visit, step);
}

async function one(visit, step) {
  const begin = now();
  switch (step.do) {
    case 'work':
      working(visit, () => work(step.how, step.rounds));
      break;
    case 'pause':
      await sleep(step.ms);
      visit.add('pause', begin);
      break;
    case 'block':
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, step.ms);
      visit.add('block', begin);
      break;
    case 'inside':
      return within(visit, gates[step.name], `line:gate:${step.name}`, step.steps);
    case 'alone':
      return within(visit, locks[step.name], `line:lock:${step.name}`, step.steps);
    case 'call':
      if (Math.random() < (step.share ?? 1)) return call(visit, step);
      break;
    case 'leave':
      return leave(visit, step.name);
    case 'together':
      return together(visit, step.steps);
    case 'refuse':
      if (Math.random() < step.share) {
        visit.status = 503;
        throw new NotNow();
      }
      break;
    case 'query':
      return query(visit, step);
    case 'get':
      return get(visit, step);
    case 'store':
      store(step);
      visit.add('disk', begin);
      break;
    case 'allocate':
      working(visit, () => allocate(step));
      break;
    case 'body':
      visit.bytes = step.bytes;
      break;
    default:
      throw new Error(`no step ${step.do}`);
  }
  return undefined;
}

async function handle(steps, response) {
  const visit = new Visit();
  try {
    await take(visit, steps);
  } catch (error) {
    if (!(error instanceof NotNow)) {
      console.error(error);
      visit.status = 500;
    }
  }
  response.writeHead(visit.status, { 'Content-Type': 'text/plain' });
  response.end(visit.bytes ? 'x'.repeat(visit.bytes) : 'done\n');
  record(visit);
}

const server = http.createServer((request, response) => {
  const steps = settings.routes[request.url.split('?')[0]];
  if (steps) {
    handle(steps, response);
    return;
  }
  response.writeHead(request.url === '/ready' ? 200 : 404);
  response.end('ready\n');
});
server.keepAliveTimeout = 60_000;
server.listen(settings.port, settings.host);
process.on('SIGTERM', () => process.exit(0));
