import { figure } from "../format/number";
import type { Values } from "./data";

/** A line as its legend says it. */
export interface Named {
  name: string;
  unit: string;
  colour: string;
  values: Values;
  quiet?: boolean;
}

/** The words beneath a chart's title: names, and values at the cursor. They are only ever set as text. */
export class Legend {
  private readonly rooms: string[];

  constructor(
    private readonly node: Element,
    private readonly lines: Named[],
    private readonly at: (index: number) => string,
  ) {
    // Room for every value is kept from the start, so that nothing moves under the pointer.
    this.rooms = lines.map(({ values, unit }) => {
      const most = values.reduce<number>((found, value) => Math.max(found, Math.abs(value ?? 0)), 0);
      return `${Math.max(figure(most).length, "0.123".length) + unit.length + 2}ch`;
    });
    this.show(null);
  }

  show(index: number | null): void {
    this.node.replaceChildren();
    this.lines.forEach(({ name, unit, colour, values, quiet }, i) => {
      if (quiet) return;
      const [entry, mark, value] = [element("span"), element("i"), element("b")];
      mark.style.background = colour;
      value.textContent = index === null ? "" : figure(values[index]) + unit;
      value.style.width = this.rooms[i] ?? "";
      entry.append(mark, name, value);
      this.node.append(entry);
    });
    const time = element("span");
    time.className = "at";
    time.textContent = index === null ? "" : this.at(index);
    this.node.append(time);
  }
}

function element(name: "span" | "i" | "b"): HTMLElement {
  return document.createElement(name);
}
