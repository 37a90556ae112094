import { css } from "./colours";

/** A call: its name's place, its caller's box (which stands before it), what it took itself and altogether. */
export interface FlameBox {
  name: number;
  parent: number | null;
  self: number;
  total: number;
}

export interface FlameData {
  unit: string;
  total: number;
  names: string[];
  boxes: FlameBox[];
}

export interface FlameOptions {
  /** The box that is pointed at; null: none. */
  onPoint: (box: number | null) => void;
  /** The box that fills the width; 0: the whole graph. */
  onZoom: (box: number) => void;
}

/** What a search found: so many boxes, and their share of all, each stack counted once. */
export interface FlameFound {
  boxes: number;
  share: number;
}

const ROW = 18;
const LETTER = 6.3;

/** Where boxes lie: their row, and where they begin, in the unit of the graph. */
export class FlameLayout {
  readonly depth: number[] = [];
  readonly begin: number[] = [];
  readonly children: number[][] = [];

  constructor(readonly data: FlameData) {
    const { boxes, names } = data;
    boxes.forEach((box, at) => {
      this.children.push([]);
      this.depth.push(box.parent === null ? 0 : (this.depth[box.parent] ?? 0) + 1);
      this.begin.push(0);
      if (box.parent !== null) this.children[box.parent]?.push(at);
    });
    // By name, so that the same calls lie in the same order in two graphs.
    const name = (at: number): string => names[boxes[at]?.name ?? 0] ?? "";
    for (const below of this.children) below.sort((a, b) => (name(a) < name(b) ? -1 : 1));
    boxes.forEach((_, at) => {
      let begin = this.begin[at] ?? 0;
      for (const child of this.children[at] ?? []) {
        this.begin[child] = begin;
        begin += boxes[child]?.total ?? 0;
      }
    });
  }

  total(at: number): number {
    return this.data.boxes[at]?.total ?? 0;
  }

  name(at: number): string {
    return this.data.names[this.data.boxes[at]?.name ?? 0] ?? "";
  }

  parent(at: number): number | null {
    return this.data.boxes[at]?.parent ?? null;
  }

  /** Whether a box is another one, or was called from there. */
  isBelow(at: number, above: number): boolean {
    for (let box: number | null = at; box !== null; box = this.parent(box)) if (box === above) return true;
    return false;
  }

  /** The box that a key leads to from another one. */
  beside(at: number, key: string): number {
    const parent = this.parent(at);
    if (key === "ArrowUp") return parent ?? at;
    if (key === "ArrowDown") {
      const below = this.children[at] ?? [];
      return below.reduce((widest, one) => (this.total(one) > this.total(widest) ? one : widest), below[0] ?? at);
    }
    const row = parent === null ? [at] : (this.children[parent] ?? []);
    return row[row.indexOf(at) + (key === "ArrowLeft" ? -1 : 1)] ?? at;
  }

  find(text: string): { boxes: Set<number>; share: number } {
    const wanted = text.trim().toLowerCase();
    const boxes = new Set<number>();
    if (wanted === "") return { boxes, share: 0 };
    const named = this.data.names.map((name) => name.toLowerCase().includes(wanted));
    // A stack with several such calls counts once, by the outermost.
    const inside = new Set<number>();
    let sum = 0;
    this.data.boxes.forEach((box, at) => {
      const isInside = box.parent !== null && inside.has(box.parent);
      const isFound = named[box.name] === true;
      if (isFound) boxes.add(at);
      if (isFound && !isInside) sum += box.total;
      if (isFound || isInside) inside.add(at);
    });
    return { boxes, share: this.data.total > 0 ? sum / this.data.total : 0 };
  }
}

/** The page's colours, looked up once for a drawing. */
interface Palette {
  isDark: boolean;
  ink: string;
  card: string;
  line: string;
  found: string;
}

/** A flame graph, the outermost call at the top. */
export class FlamePlot {
  readonly layout: FlameLayout;
  private readonly canvas = document.createElement("canvas");
  private root = 0;
  private at: number | null = null;
  private found: ReadonlySet<number> = new Set();
  private width = 0;

  constructor(
    private readonly node: HTMLElement,
    data: FlameData,
    private readonly options: FlameOptions,
  ) {
    this.layout = new FlameLayout(data);
    this.canvas.addEventListener("mousemove", (event) => this.point(this.hit(event)));
    this.canvas.addEventListener("mouseleave", () => this.point(null));
    this.canvas.addEventListener("click", (event) => {
      const box = this.hit(event);
      if (box !== null) this.zoom(box);
    });
    node.append(this.canvas);
  }

  destroy(): void {
    this.canvas.remove();
  }

  resize(width: number): void {
    this.width = width;
    this.draw();
  }

  /** A box fills the width, with all that it called. */
  zoom(box: number): void {
    this.root = box;
    this.options.onZoom(box);
    this.draw();
  }

  search(text: string): FlameFound {
    const { boxes, share } = this.layout.find(text);
    this.found = boxes;
    this.draw();
    return { boxes: boxes.size, share };
  }

  /** The keys of the graph; true: it was one. */
  key(name: string): boolean {
    if (name === "Escape" || name === "0") {
      this.zoom(0);
      this.point(0);
      return true;
    }
    if (name === "Enter" || name === " ") {
      this.zoom(this.at ?? 0);
      return true;
    }
    if (!/^Arrow(Up|Down|Left|Right)$/.test(name)) return false;
    const next = this.at === null ? this.root : this.layout.beside(this.at, name);
    // What is not in sight is brought there.
    if (!this.layout.isBelow(next, this.root) && !this.layout.isBelow(this.root, next)) this.zoom(0);
    this.point(next);
    const top = (this.layout.depth[next] ?? 0) * ROW;
    if (top < this.node.scrollTop || top + ROW > this.node.scrollTop + this.node.clientHeight) {
      this.node.scrollTop = top - this.node.clientHeight / 2;
    }
    return true;
  }

  private point(box: number | null): void {
    if (box === this.at) return;
    this.at = box;
    this.options.onPoint(box);
    this.draw();
  }

  /** Where a box lies, in pixels; null: out of sight. */
  private place(box: number): { left: number; width: number } | null {
    const { layout, root, width } = this;
    if (layout.isBelow(root, box)) return { left: 0, width };
    if (!layout.isBelow(box, root)) return null;
    const unit = width / Math.max(layout.total(root), Number.MIN_VALUE);
    const left = ((layout.begin[box] ?? 0) - (layout.begin[root] ?? 0)) * unit;
    return { left, width: layout.total(box) * unit };
  }

  private hit(event: MouseEvent): number | null {
    const { left, top } = this.canvas.getBoundingClientRect();
    const [x, depth] = [event.clientX - left, Math.floor((event.clientY - top) / ROW)];
    for (const box of this.shown()) {
      if (this.layout.depth[box] !== depth) continue;
      const place = this.place(box);
      if (place && x >= place.left && x < place.left + place.width) return box;
    }
    return null;
  }

  /** Boxes in sight: what leads to the root, and what it called, if that is wide enough to be seen. */
  private shown(): number[] {
    const { layout } = this;
    const shown: number[] = [];
    for (let box: number | null = layout.parent(this.root); box !== null; box = layout.parent(box)) shown.push(box);
    const least = layout.total(this.root) * (0.4 / Math.max(this.width, 1));
    const rest = [this.root];
    for (let box = rest.pop(); box !== undefined; box = rest.pop()) {
      shown.push(box);
      for (const child of layout.children[box] ?? []) if (layout.total(child) >= least) rest.push(child);
    }
    return shown;
  }

  private draw(): void {
    const { canvas, layout, width } = this;
    const ctx = canvas.getContext("2d");
    if (!ctx || width <= 0) return;
    const shown = this.shown();
    const rows = 1 + shown.reduce((most, box) => Math.max(most, layout.depth[box] ?? 0), 0);
    const ratio = Math.max(1, devicePixelRatio);
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(rows * ROW * ratio);
    canvas.style.width = `${width}px`;
    canvas.style.height = `${rows * ROW}px`;
    canvas.style.display = "block";
    ctx.scale(ratio, ratio);
    ctx.font = "11px system-ui, sans-serif";
    ctx.textBaseline = "middle";
    const palette = {
      isDark: document.documentElement.dataset.theme === "dark",
      ink: css("--ink"),
      card: css("--card"),
      line: css("--line"),
      found: css("--c1"),
    };
    for (const box of shown) this.drawBox(ctx, box, palette);
  }

  private drawBox(ctx: CanvasRenderingContext2D, box: number, palette: Palette): void {
    const place = this.place(box);
    if (!place) return;
    const top = (this.layout.depth[box] ?? 0) * ROW;
    const wide = Math.max(place.width - 1, 0.5);
    const isAbove = box !== this.root && this.layout.isBelow(this.root, box);
    ctx.globalAlpha = isAbove ? 0.55 : 1;
    ctx.fillStyle = this.found.has(box) ? palette.found : colourOf(this.layout.name(box), palette);
    ctx.fillRect(place.left, top, wide, ROW - 1);
    if (box === this.at) {
      ctx.strokeStyle = palette.ink;
      ctx.lineWidth = 2;
      ctx.strokeRect(place.left + 1, top + 1, Math.max(wide - 2, 1), ROW - 3);
    }
    const text = fitting(this.layout.name(box), wide - 8);
    if (text !== "") {
      ctx.fillStyle = this.found.has(box) ? palette.card : palette.ink;
      ctx.fillText(text, place.left + 4, top + ROW / 2);
    }
    ctx.globalAlpha = 1;
  }
}

/** As much of a name as has room: whole, else without its packages, else its beginning. */
export function fitting(name: string, room: number): string {
  const letters = Math.floor(room / LETTER);
  if (letters < 3) return "";
  if (name.length <= letters) return name;
  const parts = name.split(/[./]/);
  const short = parts.slice(-2).join(".");
  if (parts.length > 2 && short.length <= letters) return short;
  const last = parts[parts.length - 1] ?? "";
  return last.length > 0 && last.length <= letters ? last : `${(last || name).slice(0, letters - 1)}…`;
}

/** Warm colours; calls of one package have the same. */
function colourOf(name: string, { isDark, line }: Palette): string {
  if (name === "") return line;
  const end = name.lastIndexOf(".", name.lastIndexOf(".") - 1);
  const of = end > 0 ? name.slice(0, end) : name;
  let hash = 7;
  for (let i = 0; i < of.length; i += 1) hash = (hash * 31 + of.charCodeAt(i)) >>> 0;
  return `hsl(${10 + (hash % 45)} ${isDark ? 45 : 82}% ${isDark ? 27 + (hash % 3) * 3 : 74 + (hash % 3) * 4}%)`;
}
