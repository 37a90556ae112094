import { lazy, type ReactNode, Suspense } from "react";
import { useOffers } from "../api/offers";
import { logOut, useMay, useSession } from "../api/session";
import { Allowed } from "../parts/Allowed";
import { Waiting } from "../parts/Waiting";
import { NotFound } from "../screens/NotFound";
import { Runs } from "../screens/Runs";
import { type Texts, useWords } from "../texts";
import { link, type Place, usePlace } from "./router";
import { type Theme, useSettings } from "./settings";

const RunScreen = lazy(() => import("../screens/RunScreen"));
const StartScreen = lazy(() => import("../screens/StartScreen"));
const SettingsScreen = lazy(() => import("../screens/settings/SettingsScreen"));
const CompareScreen = lazy(() => import("../screens/CompareScreen"));
const SchedulesScreen = lazy(() => import("../screens/SchedulesScreen"));
const TrendScreen = lazy(() => import("../screens/TrendScreen"));
const MeasuresScreen = lazy(() => import("../screens/measures/MeasuresScreen"));
const TuneScreen = lazy(() => import("../screens/tune/TuneScreen"));
const MonitorScreen = lazy(() => import("../screens/MonitorScreen"));
const MachinesScreen = lazy(() => import("../screens/MachinesScreen"));

/** Screens that are there where the server offers what they show. */
const OFFERED = [
  ["measurements", "GET /measurements", "measures"],
  ["tune", "GET /studies", "tune"],
  ["schedules", "GET /schedules", "schedules"],
  ["monitor", "GET /monitor", "monitor"],
  ["machines", "GET /calibrations", "machines"],
  ["settings", "GET /settings", "settings"],
] as const;

function screen({ parts, query }: Place, t: Texts): ReactNode {
  const [first = "runs", id, tab = "result"] = parts;
  if (first === "runs" && id === undefined) return <Runs />;
  if (first === "runs" && id !== undefined) return <RunScreen key={id} id={id} tab={tab} />;
  if (first === "start")
    return (
      <Allowed right="run" title={t.start.title}>
        <StartScreen />
      </Allowed>
    );
  if (first === "trend") return <TrendScreen of={query.get("key") ?? ""} />;
  if (first === "measurements") return <MeasuresScreen id={id} />;
  if (first === "tune") return <TuneScreen study={id} />;
  if (first === "schedules") return <SchedulesScreen />;
  if (first === "monitor") return <MonitorScreen />;
  if (first === "machines") return <MachinesScreen />;
  if (first === "settings") return <SettingsScreen />;
  if (first === "compare") return <CompareScreen />;
  return <NotFound />;
}

/** A choice among few by the browser's own control: keyboards and screen readers know it. */
function Choice<T extends string>(props: { label: string; value: T; of: [T, string][]; set: (value: T) => void }) {
  return (
    <select
      className="choice"
      aria-label={props.label}
      title={props.label}
      value={props.value}
      onChange={(event) => {
        const chosen = props.of.find(([value]) => value === event.target.value);
        if (chosen) props.set(chosen[0]);
      }}
    >
      {props.of.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  );
}

export function Shell() {
  const place = usePlace();
  const { t } = useWords();
  const settings = useSettings();
  const offers = useOffers();
  const { session, set } = useSession();
  const mayRun = useMay("run");
  const first = place.parts[0] ?? "runs";
  const entry = (name: string, text: string) => (
    <a key={name} href={link([name])} {...(first === name ? { "aria-current": "page" as const } : {})}>
      {text}
    </a>
  );
  const themes: [Theme, string][] = [
    ["system", t.nav.system],
    ["light", t.nav.light],
    ["dark", t.nav.dark],
  ];
  return (
    <>
      <button type="button" className="skip" onClick={() => document.getElementById("main")?.focus()}>
        {t.nav.skip}
      </button>
      <header className="top">
        <a className="brand" href={link(["runs"])} aria-label="Plimsoll">
          <svg viewBox="0 0 48 48" fill="none" stroke="currentColor" strokeWidth="4" aria-hidden="true">
            <circle cx="24" cy="24" r="15" />
            <path d="M2 24h44" />
          </svg>
          <span>Plimsoll</span>
        </a>
        <nav aria-label={t.nav.label}>
          {entry("runs", t.nav.runs)}
          {mayRun ? entry("start", t.nav.start) : null}
          {OFFERED.map(([name, offer, text]) => (offers.has(offer) ? entry(name, t.nav[text]) : null))}
        </nav>
        <div className="choices">
          <Choice
            label={t.nav.language}
            value={settings.language}
            of={[
              ["en", "English"],
              ["zh", "中文"],
            ]}
            set={settings.setLanguage}
          />
          <Choice label={t.nav.theme} value={settings.theme} of={themes} set={settings.setTheme} />
          {session?.user && session.csrf ? (
            <button
              type="button"
              className="plain-link"
              onClick={() =>
                void logOut().then(() => set({ ...session, user: null, role: null, rights: [], csrf: null }))
              }
            >
              {t.login.out(session.user)}
            </button>
          ) : null}
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        <Suspense fallback={<Waiting />}>{screen(place, t)}</Suspense>
      </main>
    </>
  );
}
