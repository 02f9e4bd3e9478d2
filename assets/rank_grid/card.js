// The card: what a rank is, and its group on every axis, in words. Its parts keep their places and sizes
// while the pointer travels; only the words in them change.

import { nodesSpanned } from "./arithmetic.js";
import { element } from "../dom.js";

const AXES = ["tp", "cp", "dp", "pp"];
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
    for (const axis of AXES) {
      this.positions[axis] = element(this.coordinate, "span", `ra-position ra-edge-${axis}`);
    }
    this.blocks.replaceChildren();
    this.parts = [...AXES.map((axis) => [axis]), set].map((axes) => {
      const part = element(this.blocks, "div", `ra-group ra-edge-${axes.length > 1 ? "set" : axes[0]}`);
      const head = element(part, "div", "ra-group-head");
      return {
        axes,
        title: element(head, "b", "ra-group-title"),
        reach: element(head, "span", "ra-group-reach"),
        ranks: element(part, "div", "ra-group-ranks"),
        purpose: element(part, "div", "ra-group-purpose", this.purposeOf(axes)),
      };
    });
  }

  // What the group along `axes` is for, in one sentence.
  purposeOf(axes) {
    const key = axes.join("-");
    const split = axes.some((axis) => this.grid.sizes[axis] > 1);
    return split
      ? this.words(`purpose.${key}`)
      : this.words("purpose.nothing", { name: this.words(`light.${key}`) });
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
      position.textContent = rank === null ? words(`axis.${axis}`) : this.positionInWords(rank, axis);
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
    return {
      title:
        numGroups === 1
          ? words("card.only_group", { name })
          : words("card.group", { name, index, last: numGroups - 1 }),
      reach: words("card.nodes", { n: nodesSpanned(ranks, gpusPerNode) }),
      ranks: ranks.length === 1 ? words("card.alone", { rank }) : this.ranksInWords(ranks),
    };
  }

  positionInWords(rank, axis) {
    return this.words("list.coordinate", {
      axis: this.words(`axis.${axis}`),
      position: this.grid.positionOf(rank, axis),
    });
  }

  listed(items) {
    return items.join(this.words("list.separator"));
  }

  // "9, 13 (2 ranks, step 4)"; where that is too long "0, 8, 16, … 120 (16 ranks, step 8)"; and ranks
  // without one step as runs, "0–7, 128–135, … 896–903 (64 ranks)".
  ranksInWords(ranks) {
    const step = ranks[1] - ranks[0];
    const even = ranks.every((rank, place) => rank === ranks[0] + place * step);
    const size = this.words(even ? "card.size_and_step" : "card.size", { n: ranks.length, step });
    const pieces = even ? ranks : runsOf(ranks);
    const whole = `${this.listed(pieces.slice(0, LINE))} (${size})`;
    if (pieces.length <= LINE && whole.length <= LINE) return whole;
    const some = [4, 3, 2, 1]
      .filter((shown) => shown < pieces.length - 1)
      .map((shown) => `${this.listed([...pieces.slice(0, shown), `… ${pieces.at(-1)}`])} (${size})`);
    return some.find((text) => text.length <= LINE) ?? some.at(-1) ?? whole;
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
    return [
      words(same.length ? "compare.same" : "compare.nothing_same", {
        pinned,
        other,
        same: this.listed(same.map((axis) => this.positionInWords(pinned, axis))),
        differing: this.listed(differing.map((axis) => words(`axis.${axis}`))),
      }),
      holding.length
        ? words("compare.both", { groups: this.listed(holding) })
        : words("compare.neither"),
      here === there
        ? words("compare.one_node", { node: here })
        : words("compare.two_nodes", { here, there }),
    ].join(words("list.sentences"));
  }

  // Everything on the card as sentences, for a screen reader.
  spoken(rank, pinned) {
    const { words } = this;
    const parts = this.parts.map(({ axes, purpose }) =>
      words("card.spoken_group", { ...this.groupInWords(rank, axes), purpose: purpose.textContent }),
    );
    return [this.placeInWords(rank, pinned), ...parts].join(words("list.sentences"));
  }

  // Rank, coordinate and node in one sentence; and how it stands to the pinned rank, where there is one.
  placeInWords(rank, pinned) {
    const { words, gpusPerNode } = this;
    const place = words("card.spoken", {
      rank,
      coordinate: this.listed(AXES.map((axis) => this.positionInWords(rank, axis))),
      node: Math.floor(rank / gpusPerNode),
      local: rank % gpusPerNode,
    });
    if (pinned === null || pinned === rank) return place;
    return [place, this.comparisonInWords(pinned, rank)].join(words("list.sentences"));
  }
}

// Ascending ranks with runs of neighbours drawn together: ["0–7", "16", "18"].
function runsOf(ranks) {
  const runs = [];
  for (const rank of ranks) {
    const run = runs.at(-1);
    if (run?.[1] === rank - 1) run[1] = rank;
    else runs.push([rank, rank]);
  }
  return runs.flatMap(([first, last]) => (last - first < 2 ? [...new Set([first, last])] : [`${first}–${last}`]));
}
