<?php
// A service whose routes are lists of steps from a JSON file: for PHP-FPM behind nginx.
declare(strict_types=1);

final class Visit
{
    public array $spent = [];
    public int $status = 200;
    public int $bytes = 0;

    public function add(string $what, float $since): void
    {
        $this->addMs($what, (hrtime(true) - $since) / 1e6);
    }

    public function addMs(string $what, float $ms): void
    {
        $this->spent[$what] = ($this->spent[$what] ?? 0.0) + $ms;
    }
}

final class NotNow extends RuntimeException
{
}

final class Desk
{
    private const DOCUMENT = '{"id":17,"text":"a line of words","price":12.5,"tags":["x","y","z"]},';
    private static array $connections = [];
    private int $serial = 0;

    public function __construct(private array $settings, private Visit $visit)
    {
    }

    public function take(array $steps): void
    {
        foreach ($steps as $step) {
            $this->one($step);
        }
    }

    private function one(array $step): void
    {
        $begin = hrtime(true);
        switch ($step['do']) {
            case 'work':
                $cpu = cpu_ms();
                $this->work($step['how'], $step['rounds']);
                $this->visit->addMs('work_cpu', min(cpu_ms() - $cpu, (hrtime(true) - $begin) / 1e6));
                $this->visit->add('work', $begin);
                break;
            case 'pause':
            case 'block':
                usleep((int) ($step['ms'] * 1000));
                $this->visit->add('pause', $begin);
                break;
            case 'inside':
                $gate = $this->gate($step['name']);
                sem_acquire($gate);
                $this->visit->add('line:gate:' . $step['name'], $begin);
                try {
                    $this->take($step['steps']);
                } finally {
                    sem_release($gate);
                }
                break;
            case 'alone':
                $this->alone($step, $begin);
                break;
            case 'call':
                if (mt_rand() / mt_getrandmax() < ($step['share'] ?? 1)) {
                    $this->call($step);
                }
                break;
            case 'refuse':
                if (mt_rand() / mt_getrandmax() < $step['share']) {
                    $this->visit->status = 503;
                    throw new NotNow();
                }
                break;
            case 'query':
                $this->query($step);
                break;
            case 'get':
                $this->get($step);
                break;
            case 'store':
                $this->store($step);
                $this->visit->add('disk', $begin);
                break;
            case 'body':
                $this->visit->bytes = $step['bytes'];
                break;
            default:
                throw new LogicException('no step ' . $step['do']);
        }
    }

    private function gate(string $name): SysvSemaphore
    {
        $permits = $this->settings['gates'][$name]['permits'];
        $key = crc32($this->settings['directory'] . $name . $permits) & 0x7FFFFFFF;
        $noted = $this->settings['directory'] . '/semaphores';
        if (!file_exists($noted)) {
            file_put_contents($noted, sprintf("0x%08x\n", $key), FILE_APPEND);
        }
        return sem_get($key, $permits);
    }

    private function alone(array $step, int $begin): void
    {
        $file = fopen($this->settings['directory'] . '/' . $step['name'] . '.lock', 'c');
        flock($file, LOCK_EX);
        $this->visit->add('line:lock:' . $step['name'], $begin);
        try {
            $this->take($step['steps']);
        } finally {
            flock($file, LOCK_UN);
            fclose($file);
        }
    }

    private function work(string $how, int $rounds): void
    {
        $document = str_repeat(self::DOCUMENT, 20);
        for ($round = 0; $round < $rounds; $round++) {
            switch ($how) {
                case 'json':
                    for ($i = 0; $i < 5; $i++) {
                        json_encode(json_decode('[' . substr($document, 0, -1) . ']', true));
                    }
                    break;
                case 'regex':
                    for ($i = 0; $i < 60; $i++) {
                        preg_match_all('/"price":([0-9]+)\.([0-9]+)/', $document, $found);
                    }
                    break;
                case 'gzip':
                    for ($i = 0; $i < 9; $i++) {
                        gzencode($document);
                    }
                    break;
                case 'hash':
                    for ($i = 0; $i < 15; $i++) {
                        hash('sha256', $document);
                    }
                    break;
                default:
                    self::own();
            }
        }
    }

    private static function own(): int
    {
        $sum = 17;
        for ($i = 0; $i < 13000; $i++) {
            $sum = ($sum * 31 + $i % 7) & 0xFFFFFFFF;
        }
        return $sum;
    }

    private function call(array $step): void
    {
        $tries = $step['tries'] ?? 1;
        for ($left = $tries; $left > 0; $left--) {
            if ($this->ask($step['name']) === 200) {
                return;
            }
            if ($left > 1) {
                $begin = hrtime(true);
                usleep((int) ($step['again_ms'] * 1000));
                $this->visit->add('pause', $begin);
            }
        }
        $this->visit->status = 502;
        throw new NotNow();
    }

    private function ask(string $name): int
    {
        $begin = hrtime(true);
        $context = stream_context_create(['http' => ['ignore_errors' => true, 'timeout' => 30]]);
        file_get_contents($this->settings['neighbours'][$name]['url'], false, $context);
        $this->visit->add("call:$name", $begin);
        return preg_match('~^HTTP/\S+ (\d+)~', $http_response_header[0] ?? '', $found) ? (int) $found[1] : 0;
    }

    private function connection(string $pool): PDO
    {
        $store = $this->settings['stores'][$this->settings['pools'][$pool]['store']];
        $driver = $store['kind'] === 'postgresql' ? 'pgsql' : 'mysql';
        return self::$connections[$pool] ??= new PDO(
            "$driver:host={$store['host']};port={$store['port']};dbname={$store['database']}",
            $store['user'],
            $store['password'],
            [PDO::ATTR_PERSISTENT => true, PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION]
        );
    }

    private function query(array $step): void
    {
        $begin = hrtime(true);
        $store = $this->settings['stores'][$this->settings['pools'][$step['name']]['store']];
        $connection = $this->connection($step['name']);
        for ($i = 0; $i < ($step['count'] ?? 1); $i++) {
            $this->statement($connection, $store, $step);
        }
        $this->visit->add('db', $begin);
    }

    private function statement(PDO $connection, array $store, array $step): void
    {
        $number = mt_rand(1, ($step['keep'] ?? 0) ?: $store['rows']);
        $table = $store['table'];
        if ($step['how'] === 'change') {
            $connection->beginTransaction();
            $connection->exec("UPDATE $table SET amount_cents = amount_cents + 1 WHERE id = $number");
            usleep((int) (($step['ms'] ?? 0) * 1000));
            $connection->commit();
        } elseif ($step['how'] === 'list') {
            $customer = 1 + $number % intdiv($store['rows'], 100);
            $connection->query("SELECT amount_cents FROM $table WHERE customer_id = $customer")->fetchAll();
        } else {
            $connection->query("SELECT amount_cents FROM $table WHERE id = $number")->fetchAll();
        }
    }

    private function get(array $step): void
    {
        $begin = hrtime(true);
        $store = $this->settings['stores'][$this->settings['pools'][$step['name']]['store']];
        $redis = new Redis();
        $redis->pconnect($store['host'], $store['port']);
        for ($i = 0; $i < ($step['count'] ?? 1); $i++) {
            $redis->get('entry:' . mt_rand(0, 999));
        }
        $this->visit->add('cache', $begin);
    }

    private function store(array $step): void
    {
        for ($i = 0; $i < ($step['count'] ?? 1); $i++) {
            $this->serial++;
            $file = fopen($this->settings['directory'] . '/part-' . getmypid() . '-' . $this->serial % 64, 'c');
            fwrite($file, str_repeat('x', $step['bytes']));
            if ($step['sync'] ?? false) {
                fsync($file);
            }
            fclose($file);
        }
    }
}

function cpu_ms(): float
{
    $usage = getrusage();
    return ($usage['ru_utime.tv_sec'] + $usage['ru_stime.tv_sec']) * 1000.0
        + ($usage['ru_utime.tv_usec'] + $usage['ru_stime.tv_usec']) / 1000.0;
}

$begin = hrtime(true);
$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
$settings = json_decode(file_get_contents($_SERVER['APP_SETTINGS']), true);
header('Content-Type: text/plain');
if (!isset($settings['routes'][$path])) {
    http_response_code($path === '/ready' ? 200 : 404);
    exit("ready\n");
}
$visit = new Visit();
try {
    (new Desk($settings, $visit))->take($settings['routes'][$path]);
} catch (NotNow) {
    // The rest of the steps is not taken.
} catch (Throwable $error) {
    error_log((string) $error);
    $visit->status = 500;
}
http_response_code($visit->status);
echo $visit->bytes ? str_repeat('x', $visit->bytes) : "done\n";
$line = json_encode([$visit->status, (hrtime(true) - $begin) / 1e6, $visit->spent]);
file_put_contents($settings['records'] . '/' . $settings['name'] . '.lines', $line . "\n", FILE_APPEND);
