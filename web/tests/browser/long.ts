/** What a server says, with every name and address in it as long as a URL may be. */
import type { ServerResponse } from "node:http";

/** Fields whose texts people or targets choose; what the page itself knows by its words stays. */
const CHOSEN = new Set(
  "name label parent plan target note message title summary means url host host_name detail what remedy class method goal"
    .concat(" value setting current proposed holder holder_in text statement command key run_name before after of")
    .concat(
      " en zh competitor user cron path file spec why folder request response thing id_text names tags code source",
    )
    .split(" "),
);
/** Where one of these stands beside, the field is a word of the page: the kind of a metric, of a settings field. */
const KEPT = new Set(["settings", "session", "offers", "openapi"]);

export const LONG = `http://127.0.0.1:18080/${"a1b2c3d4".repeat(246)}?q=1`;

function lengthened(value: unknown, isChosen: boolean): unknown {
  if (typeof value === "string") return isChosen && value !== "" ? `${value} ${LONG}` : value;
  if (Array.isArray(value)) return value.map((one) => lengthened(one, isChosen));
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).map(([name, own]) => [name, lengthened(own, CHOSEN.has(name))]);
  return Object.fromEntries(fields);
}

function ofText(text: string): string {
  try {
    return JSON.stringify(lengthened(JSON.parse(text), false));
  } catch {
    return text;
  }
}

/** Has all that is said from now on said at length. */
export function lengthen(path: string, response: ServerResponse): void {
  if (!path.startsWith("/api/") || [...KEPT].some((word) => path.includes(word))) return;
  const [end, write] = [response.end.bind(response), response.write.bind(response)];
  const told = (text: unknown): unknown =>
    typeof text === "string" ? text.replace(/^data: (.*)$/gm, (_, data: string) => `data: ${ofText(data)}`) : text;
  response.write = ((text: unknown) => write(told(text))) as ServerResponse["write"];
  response.end = ((text?: unknown) => end(typeof text === "string" ? ofText(text) : text)) as ServerResponse["end"];
}
