import { Button } from "antd";
import {
  type Capture,
  type StackGroup,
  type ThreadDump,
  type ThreadNames,
  viewAddress,
  type WaitedLock,
} from "../../api/evidence";
import { usePages } from "../../api/usePages";
import { count } from "../../format/number";
import { Failed } from "../../parts/Failed";
import { keyed } from "../../parts/keyed";
import { Scroll } from "../../parts/Scroll";
import { useWords } from "../../texts";

/** A thread dump: who waits for whose lock first, then threads by their stacks. */
export function ThreadsView({ run, capture }: { run: string; capture: Capture }) {
  const { t } = useWords();
  const asked = usePages<StackGroup, ThreadDump>(viewAddress(run, capture, "/threads", { limit: 30 }));
  const dump = asked.value;
  if (asked.error && !dump) return <Failed error={asked.error} again={asked.again} />;
  if (!dump) return null;
  return (
    <>
      <p className="muted">
        {t.threads.all(count(dump.threads), count(dump.serving), count(dump.groups))} <bdi>{dump.jvm}</bdi>
      </p>
      {dump.deadlocks.map((circle) => (
        <div key={circle.join()} className="notice bad">
          <strong>{t.threads.deadlock}</strong> {circle.join(" → ")}
        </div>
      ))}
      {dump.locks.length > 0 ? <Locks locks={dump.locks} leftOut={dump.locks_left_out} /> : null}
      <h4>{t.threads.stacks}</h4>
      {keyed(asked.items, (group) => group.threads.names.join()).map(({ key, item }) => (
        <Group key={key} group={item} isOpen={item === asked.items[0]} />
      ))}
      {asked.more ? <Button onClick={asked.more}>{t.common.more}</Button> : null}
    </>
  );
}

/** Each by itself: a name that is written from right to left turns no other around. */
function Names({ of }: { of: ThreadNames }) {
  return (
    <>
      {keyed(of.names, (name) => name).map(({ key, item }, at) => (
        <span key={key}>
          {at > 0 ? ", " : ""}
          <bdi>{item}</bdi>
        </span>
      ))}
      {of.count > of.names.length ? " …" : ""}
    </>
  );
}

function Locks({ locks, leftOut }: { locks: WaitedLock[]; leftOut: number }) {
  const { t } = useWords();
  return (
    <>
      <h4>{t.threads.locks}</h4>
      <Scroll>
        <table className="plain-table locks">
          <thead>
            <tr>
              <th>{t.threads.lock}</th>
              <th className="r">{t.threads.waiting}</th>
              <th>{t.threads.holder}</th>
              <th>{t.threads.waiters}</th>
            </tr>
          </thead>
          <tbody>
            {locks.map((lock) => (
              <tr key={lock.id}>
                <td>
                  <code>{lock.class}</code> <span className="muted">{t.threads.how[lock.how] ?? lock.how}</span>
                </td>
                <td className="r">{count(lock.waiting.count)}</td>
                <td>
                  {lock.holder === null ? <span className="muted">{t.threads.unknown}</span> : <bdi>{lock.holder}</bdi>}{" "}
                  {lock.holder_state}
                  {lock.holder_in ? (
                    <div>
                      <code>{lock.holder_in}</code>
                    </div>
                  ) : null}
                </td>
                <td className="muted">
                  <Names of={lock.waiting} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      {leftOut > 0 ? <p className="muted">{t.evidence.leftOut(count(leftOut))}</p> : null}
    </>
  );
}

function Group({ group, isOpen }: { group: StackGroup; isOpen: boolean }) {
  const { t } = useWords();
  const own = group.calls.find((call) => call.is_own) ?? group.calls[0];
  const locks: [string, string[]][] = [
    [t.threads.waitsFor, group.waits_for],
    [t.threads.holds, group.holds],
  ];
  return (
    <details className="stack" open={isOpen}>
      <summary>
        <b>{count(group.threads.count)} ×</b>{" "}
        <span className="badge plain">{t.threads.places[group.place] ?? group.place}</span>{" "}
        {group.state ? <span className="muted">{group.state}</span> : null} <code>{own?.method}</code>
      </summary>
      <p className="muted">
        <Names of={group.threads} />
      </p>
      {locks.map(([title, ids]) =>
        ids.length > 0 ? (
          <p key={title}>
            {title}: <code>{ids.join(", ")}</code>
          </p>
        ) : null,
      )}
      <ol
        className="calls"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a deep stack scrolls, by the keyboard too
        tabIndex={0}
      >
        {keyed(group.calls, (call) => call.method).map(({ key, item }) => (
          <li key={key} className={item.is_own ? "own" : ""}>
            <code>{item.method}</code> <span className="muted">{item.place}</span>
          </li>
        ))}
      </ol>
      {group.calls_left_out > 0 ? <p className="muted">{t.evidence.leftOut(count(group.calls_left_out))}</p> : null}
    </details>
  );
}
