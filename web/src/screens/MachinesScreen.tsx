import { address } from "../api/client";
import type { Ceiling, Machine, MachineList, ServerMeta } from "../api/monitor";
import { useOffers } from "../api/offers";
import { useJson } from "../api/use";
import { amount, figure } from "../format/number";
import { clock } from "../format/time";
import { Failed } from "../parts/Failed";
import { keyed } from "../parts/keyed";
import { Scroll } from "../parts/Scroll";
import { useFollowed } from "../parts/useFollowed";
import { useWords } from "../texts";

const FOLLOW_MS = 10_000;
const GIB = 1024 ** 3;

const gib = (bytes: number | null): string => (bytes ? `${figure(bytes / GIB)} GiB` : "–");

/** This machine, others that make load or watch, and what was calibrated. */
export default function MachinesScreen() {
  const { t } = useWords();
  const offers = useOffers();
  return (
    <>
      <h1>{t.machines.title}</h1>
      <OwnMachine />
      {offers.has("GET /machines") ? <Others /> : null}
      {offers.has("GET /calibrations") ? <Calibrations /> : null}
    </>
  );
}

function OwnMachine() {
  const { t } = useWords();
  const asked = useJson<ServerMeta>(address("/meta"));
  if (asked.error && !asked.value) return <Failed error={asked.error} again={asked.again} />;
  if (!asked.value) return null;
  const { machine, version, runs_folder, allows } = asked.value;
  const facts: [string, string][] = [
    [t.machines.host, machine.host_name],
    [t.machines.os, machine.os],
    [t.machines.cpu, machine.cpu_model],
    [t.machines.cpus, amount(machine.allowed_cpus)],
    [t.machines.memory, gib(machine.memory_bytes)],
    [t.machines.version, version],
    [t.machines.folder, runs_folder],
    [t.machines.allows, allows.join(", ") || t.common.none],
  ];
  return (
    <section className="card">
      <h2>{t.machines.own}</h2>
      <dl className="facts-list">
        {facts.map(([name, value]) => (
          <div key={name} className="fact">
            <dt>{name}</dt>
            <dd>
              <bdi>{value}</bdi>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Others() {
  const { t, language } = useWords();
  const asked = useJson<MachineList>(address("/machines"));
  useFollowed(asked.again, FOLLOW_MS);
  const items = (asked.value?.items ?? []).filter((one) => one.kind !== "own");
  const trouble = asked.value?.trouble;
  return (
    <section className="card">
      <h2>{t.machines.others}</h2>
      {asked.error && !asked.value ? <Failed error={asked.error} again={asked.again} /> : null}
      {trouble ? <p className="bad-text">{trouble[language]}</p> : null}
      {asked.value && items.length === 0 ? (
        <p className="muted">
          {t.machines.noWorkers} {asked.value.asks_workers ? "" : t.machines.asksNobody}
        </p>
      ) : null}
      {items.length > 0 ? <OtherTable of={items} /> : null}
    </section>
  );
}

function OtherTable({ of }: { of: Machine[] }) {
  const { t } = useWords();
  const clockOf = ({ clock_offset_ms: offset, clock_error_ms: error }: Machine): string =>
    offset === null ? "–" : `${figure(offset)} ${error === null ? "" : t.machines.clockError(figure(error))}`;
  return (
    <Scroll>
      <table className="plain-table">
        <thead>
          <tr>
            <th>{t.machines.name}</th>
            <th>{t.machines.kind}</th>
            <th>{t.machines.host}</th>
            <th>{t.machines.health}</th>
            <th>{t.machines.state}</th>
            <th className="r">{t.machines.clock}</th>
            <th className="r">{t.machines.cpus}</th>
            <th className="r">{t.machines.memory}</th>
            <th>{t.machines.version}</th>
            <th>{t.machines.labels}</th>
            <th>{t.machines.lastHeard}</th>
          </tr>
        </thead>
        <tbody>
          {keyed(of, (one) => `${one.kind} ${one.name}`).map(({ key, item }) => (
            <tr key={key}>
              <td>
                <bdi>{item.name}</bdi>
              </td>
              <td>{t.machines.kinds[item.kind] ?? item.kind}</td>
              <td>
                <bdi>{item.host}</bdi>
              </td>
              <td>
                {item.health ? (
                  <span className={`badge ${item.health === "healthy" ? "good" : "bad"}`}>
                    {t.machines.healths[item.health] ?? item.health}
                  </span>
                ) : (
                  "–"
                )}
              </td>
              <td>{item.state ? (t.machines.states[item.state] ?? item.state) : "–"}</td>
              <td className="r">{clockOf(item)}</td>
              <td className="r">{amount(item.cores)}</td>
              <td className="r">{gib(item.memory_bytes)}</td>
              <td className="nowrap">{item.version ?? "–"}</td>
              <td>
                <bdi>
                  {Object.entries(item.labels)
                    .map(([name, value]) => `${name}=${value}`)
                    .join(", ")}
                </bdi>
              </td>
              <td className="nowrap">{clock(item.last_heard)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

function Calibrations() {
  const { t } = useWords();
  const asked = useJson<{ items: Ceiling[] }>(address("/calibrations"));
  const items = asked.value?.items ?? [];
  return (
    <section className="card">
      <h2>{t.machines.calibrations}</h2>
      {asked.error && !asked.value ? <Failed error={asked.error} again={asked.again} /> : null}
      {asked.value && items.length === 0 ? <p className="muted">{t.machines.noCalibrations}</p> : null}
      {items.length > 0 ? (
        <>
          <CeilingTable of={items} />
          <p className="muted">{t.machines.calibrationNote}</p>
        </>
      ) : null}
    </section>
  );
}

function CeilingTable({ of }: { of: Ceiling[] }) {
  const { t } = useWords();
  return (
    <Scroll>
      <table className="plain-table">
        <thead>
          <tr>
            <th>{t.machines.when}</th>
            <th>{t.machines.page}</th>
            <th>{t.machines.keepAlive}</th>
            <th className="r">{t.machines.threads}</th>
            <th className="r">{t.live.users}</th>
            <th className="r">{t.machines.measured}</th>
            <th className="r">{t.machines.perRequest}</th>
            <th className="r">{t.machines.perCore}</th>
            <th className="r">{t.machines.allCores}</th>
            <th>{t.machines.limit}</th>
            <th>{t.machines.version}</th>
          </tr>
        </thead>
        <tbody>
          {keyed(of, (one) => one.measured_at).map(({ key, item }) => (
            <tr key={key}>
              <td className="nowrap">{clock(item.measured_at)}</td>
              <td className={item.page === null ? "nowrap" : ""}>
                <bdi>{item.page ?? t.machines.builtIn}</bdi>
              </td>
              <td>{item.keep_alive ? t.common.yes : t.common.no}</td>
              <td className="r">{item.threads}</td>
              <td className="r">{item.users}</td>
              <td className="r">{figure(item.measured_per_s)}</td>
              <td className="r">{figure(item.cpu_us_per_request)}</td>
              <td className="r">{figure(item.per_core_per_s)}</td>
              <td className="r">{figure(item.all_cores_per_s)}</td>
              <td>{t.machines.limits[item.limit]}</td>
              <td className="nowrap">{item.machine.version}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}
