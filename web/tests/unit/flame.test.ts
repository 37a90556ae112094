import { describe, expect, it } from "vitest";
import { type FlameData, FlameLayout, fitting } from "../../src/charts/flame";

const GRAPH: FlameData = {
  unit: "samples",
  total: 10,
  names: ["", "run", "b", "a"],
  boxes: [
    { name: 0, parent: null, self: 0, total: 10 },
    { name: 1, parent: 0, self: 1, total: 10 },
    { name: 2, parent: 1, self: 5, total: 6 },
    { name: 3, parent: 1, self: 3, total: 3 },
    { name: 2, parent: 2, self: 1, total: 1 },
  ],
};

describe("a flame graph", () => {
  const layout = new FlameLayout(GRAPH);
  it("lays calls beside each other by name, each within its caller", () => {
    expect(layout.depth).toEqual([0, 1, 2, 2, 3]);
    expect(layout.begin).toEqual([0, 0, 3, 0, 3]);
    GRAPH.boxes.forEach((box, at) => {
      if (box.parent === null) return;
      const [begin, above] = [layout.begin[at] ?? -1, layout.begin[box.parent] ?? 0];
      expect(begin >= above && begin + box.total <= above + layout.total(box.parent)).toBe(true);
    });
  });
  it("counts a stack once that has a call twice", () => {
    const found = layout.find(" B ");
    expect([...found.boxes].sort()).toEqual([2, 4]);
    expect(found.share).toBe(0.6);
    expect([layout.find("").share, layout.find("nothing").boxes.size]).toEqual([0, 0]);
  });
  it("is walked through by the arrow keys, and never out of it", () => {
    expect(["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"].map((key) => layout.beside(2, key))).toEqual([
      1, 4, 3, 2,
    ]);
    expect(["ArrowUp", "ArrowLeft", "ArrowRight"].map((key) => layout.beside(0, key))).toEqual([0, 0, 0]);
    expect(layout.beside(4, "ArrowDown")).toBe(4);
    expect([layout.isBelow(4, 2), layout.isBelow(2, 4)]).toEqual([true, false]);
  });
  it("writes names as far as there is room", () => {
    const room = [400, 90, 60, 30, 5].map((px) => fitting("org.shop.inventory.Cart.add", px));
    expect(room).toEqual(["org.shop.inventory.Cart.add", "Cart.add", "Cart.add", "add", ""]);
  });
});
