// The card: what a rank is, and its group on every axis, in words. Its parts keep their places and sizes
// while the pointer travels; only the words in them change.

import { nodesSpanned } from "./arithmetic.js";
import { element } from "../dom.js";

const LINE = 44; // characters that fit on the line of a group's ranks

export class Card {
  constructor(parent, words) {
    this.parent = parent;
    this.words = words;
    const card = element(parent, "section", "ra-card");
    card.setAttribute("aria-label", words("card.name"));
    const head = element(card, "div", "ra-card-head");
    this.title = element(head, "h2", "ra-card-title");
    this.place = element(head, "span", "ra-card-place");
    this.coordinate = element(card, "div", "ra-coordinate");
    this.blocks = element(card, "div", "ra-blocks");
    this.comparison = element(card, "p", "ra-comparison");
  }

  // Parts for a layout: one for each axis, and one for the set that is of use here.
  prepare({ grid, gpusPerNode, set }) {
    Object.assign(this, { grid, gpusPerNode, set });
    this.positions = {};
    this.coordinate.replaceChildren();
    for (const axis of ["tp", "cp", "dp", "pp"]) {
      this.positions[axis] = element(this.coordinate, "span", `ra-position ra-edge-${axis}`);
    }
    this.blocks.replaceChildren();
    this.parts = [["tp"], ["cp"], ["dp"], ["pp"], set].map((axes) => {
      const part = element(this.blocks, "div", `ra-group ra-edge-${axes.length > 1 ? "set" : axes[0]}`);
      const head = element(part, "div", "ra-group-head");
      return {
        axes,
        title: element(head, "b", "ra-group-title"),
        reach: element(head, "span", "ra-group-reach"),
        ranks: element(part, "div", "ra-group-ranks"),
        purpose: element(part, "div", "ra-group-purpose", this.words(`purpose.${axes.join("-")}`)),
      };
    });
  }

  // Fills the card for `rank`; null shows what each group is for, with no rank.
  show(rank) {
    this.parent.classList.toggle("ra-no-rank", rank === null);
    const { words, grid, gpusPerNode } = this;
    this.title.textContent = rank === null ? words("card.no_rank") : words("card.rank", { rank });
    this.place.textContent =
      rank === null
        ? ""
        : words("card.place", { node: Math.floor(rank / gpusPerNode), local: rank % gpusPerNode });
    for (const [axis, position] of Object.entries(this.positions)) {
      position.textContent =
        words(`axis.${axis}`) + (rank === null ? "" : ` ${grid.positionOf(rank, axis)}`);
    }
    for (const part of this.parts) {
      const group = rank === null ? null : this.groupInWords(rank, part.axes);
      part.title.textContent = group ? group.title : words(`light.${part.axes.join("-")}`);
      part.reach.textContent = group ? group.reach : "";
      part.ranks.textContent = group ? group.ranks : words("card.no_ranks");
    }
  }

  groupInWords(rank, axes) {
    const { words, grid, gpusPerNode } = this;
    const ranks = grid.groupOf(rank, axes);
    const numGroups = grid.worldSize / ranks.length;
    const name = words(`light.${axes.join("-")}`);
    const index = grid.groupIndexOf(rank, axes);
    const split = axes.filter((axis) => grid.sizes[axis] > 1);
    const step = split.length === 1 ? grid.strides[split[0]] : null;
    return {
      title:
        numGroups === 1
          ? words("card.only_group", { name })
          : words("card.group", { name, index, last: numGroups - 1 }),
      reach: words("card.nodes", { n: nodesSpanned(ranks, gpusPerNode) }),
      ranks: ranks.length === 1 ? words("card.alone", { rank }) : this.ranksInWords(ranks, step),
    };
  }

  // "9, 13 (2 ranks, step 4)", and where that is too long "0, 8, 16, … 120 (16 ranks, step 8)".
  ranksInWords(ranks, step) {
    const { words } = this;
    const size = words(step === null ? "card.size" : "card.size_and_step", { n: ranks.length, step });
    const whole = `${ranks.slice(0, LINE).join(", ")} (${size})`;
    if (ranks.length <= LINE && whole.length <= LINE) return whole;
    for (const shown of [4, 3, 2]) {
      const some = `${ranks.slice(0, shown).join(", ")}, … ${ranks.at(-1)} (${size})`;
      if (some.length <= LINE && shown < ranks.length - 1) return some;
    }
    return `${ranks[0]}, … ${ranks.at(-1)} (${size})`;
  }

  // Which coordinates, groups and nodes the pinned rank and another one share.
  compare(pinned, other) {
    const { words } = this;
    this.comparison.textContent =
      pinned === null
        ? words("card.pin_hint")
        : other === null || other === pinned
          ? words("card.compare_hint", { pinned })
          : this.comparisonInWords(pinned, other);
  }

  comparisonInWords(pinned, other) {
    const { words, grid, gpusPerNode } = this;
    const differing = grid.differing(pinned, other);
    const same = grid.axes.filter((axis) => !differing.includes(axis));
    const holding = Object.entries(this.kinds)
      .filter(([, axes]) => differing.every((axis) => axes.includes(axis)))
      .map(([key, axes]) =>
        words("compare.group", { name: words(`light.${key}`), index: grid.groupIndexOf(pinned, axes) }),
      );
    const [here, there] = [pinned, other].map((rank) => Math.floor(rank / gpusPerNode));
    const named = (axes) => axes.map((axis) => `${words(`axis.${axis}`)} ${grid.positionOf(pinned, axis)}`);
    return [
      words(same.length ? "compare.same" : "compare.nothing_same", {
        pinned, other, same: named(same).join(", "),
        differing: differing.map((axis) => words(`axis.${axis}`)).join(", "),
      }),
      holding.length
        ? words("compare.both", { groups: holding.join(", ") })
        : words("compare.neither"),
      here === there
        ? words("compare.one_node", { node: here })
        : words("compare.two_nodes", { here, there }),
    ].join(" ");
  }

  // Everything on the card as sentences, for a screen reader.
  spoken(rank) {
    const parts = this.parts.map(({ axes, purpose }) => {
      const { title, reach, ranks } = this.groupInWords(rank, axes);
      return `${title}: ${ranks}; ${reach}. ${purpose.textContent}`;
    });
    return [this.placeInWords(rank), ...parts].join(" ");
  }

  // One short sentence: rank, coordinate, node.
  placeInWords(rank) {
    const { words, grid, gpusPerNode } = this;
    const coordinate = ["tp", "cp", "dp", "pp"].map((axis) => `${words(`axis.${axis}`)} ${grid.positionOf(rank, axis)}`);
    return words("card.spoken", {
      rank,
      coordinate: coordinate.join(", "),
      node: Math.floor(rank / gpusPerNode),
      local: rank % gpusPerNode,
    });
  }
}
