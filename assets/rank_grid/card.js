// The card: what a rank is, and its group on every axis, in words. Its parts keep their places and sizes
// while the pointer travels; only the words in them change.

import { element } from "../dom.js";
import { ranksInWords } from "../groups_in_words.js";
import { hostOf } from "../hosts.js";
import { Kind } from "../kinds.js";

export class Card {
  // `name` says of which grid it tells.
  constructor(parent, words, name) {
    this.parent = parent;
    this.words = words;
    this.which = name;
    const card = (this.element = element(parent, "section", "ra-card"));
    card.setAttribute("aria-label", words(`card.name_${name}`));
    const head = element(card, "div", "ra-card-head");
    this.title = element(head, "h2", "ra-card-title");
    this.place = element(head, "span", "ra-card-place");
    this.coordinate = element(card, "div", "ra-coordinate");
    this.outside = element(card, "p", "ra-outside");
    this.blocks = element(card, "div", "ra-blocks");
    this.also = element(card, "p", "ra-also");
    this.comparison = element(card, "p", "ra-comparison");
    this.ruler = document.createElement("canvas").getContext("2d");
    this.fits = (text) => this.widthOf(text) <= this.lineWidth;
  }

  // The pixels that a text takes on the line of a group's ranks. Each character is measured once.
  widthOf(text) {
    let width = 0;
    for (const character of text) {
      let own = this.widths.get(character);
      if (own === undefined) this.widths.set(character, (own = this.ruler.measureText(character).width));
      width += own;
    }
    return width;
  }

  // Parts for a layout: one for each of the `axes`, and one for each of the `sets`; of the kinds in `also` only
  // the group's number is told. `kinds` are the sets of axes along which Megatron makes groups. `drawn` are the
  // ranks of the picture where those are not all, and `partOf(rank, axes)` those of a rank's group among them.
  prepare({ grid, gpusPerNode, axes, sets, kinds, also, drawn, partOf, isEmbedded }) {
    const further = also.map(({ name, ...each }) => [name, new Kind(each)]);
    Object.assign(this, { grid, gpusPerNode, axes, kinds, further, drawn, partOf, isEmbedded });
    this.outside.hidden = !drawn;
    this.also.hidden = !also.length;
    this.positions = {};
    this.coordinate.replaceChildren();
    for (const axis of axes) {
      this.positions[axis] = element(this.coordinate, "span", "ra-position");
      this.positions[axis].style.borderColor = `var(--ra-${axis})`;
    }
    this.blocks.replaceChildren();
    this.parts = [...axes.map((axis) => [axis]), ...sets].map((axes) => {
      const part = element(this.blocks, "div", "ra-group");
      if (axes.length === 1) part.style.borderColor = `var(--ra-${axes[0]})`;
      const head = element(part, "div", "ra-group-head");
      return {
        axes,
        title: element(head, "b", "ra-group-title"),
        reach: element(head, "span", "ra-group-reach"),
        ranks: element(part, "div", "ra-group-ranks"),
        purpose: element(part, "div", "ra-group-purpose", this.purposeOf(axes)),
      };
    });
    const line = this.parts[0].ranks;
    const { fontSize, fontFamily } = getComputedStyle(line);
    this.ruler.font = `${fontSize} ${fontFamily}`;
    this.widths = new Map();
    this.lineWidth = line.clientWidth || 300;
  }

  nameOf(axes) {
    return this.words(`light.${axes.join("-")}`);
  }

  // What the group along `axes` is for, in one sentence. Experts have no PP of their own.
  purposeOf(axes) {
    const key = axes.join("-");
    if (!axes.some((axis) => this.grid.sizes[axis] > 1)) return this.words("purpose.nothing", { name: this.nameOf(axes) });
    return this.words(key === "pp" && this.which === "experts" ? "purpose.pp_experts" : `purpose.${key}`);
  }

  // Fills the card for `rank`; null shows what each group is for, with no rank.
  show(rank) {
    this.parent.classList.toggle("ra-no-rank", rank === null);
    const { words, gpusPerNode } = this;
    write(this.title, rank === null ? words("card.no_rank") : words("card.rank", { rank }));
    const place =
      rank === null
        ? ""
        : words("card.place", { node: this.nodeInWords(rank), local: rank % gpusPerNode });
    if (write(this.place, place)) this.place.title = place; // a long name of a host is cut short
    if (this.drawn) write(this.outside, rank === null ? "" : this.outsideInWords(rank));
    for (const [axis, position] of Object.entries(this.positions)) {
      write(position, rank === null ? words(`axis.${axis}`) : this.positionInWords(rank, axis));
    }
    for (const part of this.parts) {
      const group = rank === null ? null : this.groupInWords(rank, part.axes);
      write(part.title, group && !this.isCompact ? group.title : this.nameOf(part.axes));
      write(part.reach, group ? group.reach : "");
      write(part.ranks, group ? group.ranks : words("card.no_ranks"));
    }
    if (this.further.length) write(this.also, this.alsoInWords(rank));
  }

  // The groups that have no part of their own, by their numbers.
  alsoInWords(rank) {
    const groups = this.further.map(([name, kind]) => {
      const index = rank === null ? null : kind.indexOf(rank);
      if (index !== null) return this.words("compare.group", { name, index });
      return rank === null ? name : ""; // some kinds leave ranks out
    });
    return this.words("card.also", { groups: this.listed(groups.filter(Boolean)) });
  }

  groupInWords(rank, axes) {
    const { words, grid, gpusPerNode } = this;
    const group = grid.groupOf(rank, axes);
    const numGroups = grid.numGroups(axes);
    const name = this.nameOf(axes);
    const index = grid.groupIndexOf(rank, axes);
    return {
      title:
        numGroups === 1
          ? words("card.only_group", { name })
          : words("card.group", { name, index, last: numGroups - 1 }),
      reach: words("card.nodes", { n: group.numNodes(gpusPerNode) }),
      ranks: ranksInWords(words, group, this.fits),
    };
  }

  // How many members of each group the picture leaves out: "Not drawn: 127 of DP, 2,047 of DP×CP."
  outsideInWords(rank) {
    const { words } = this;
    const missing = this.parts.flatMap(({ axes }) => {
      const count = this.grid.groupSize(axes) - (this.partOf(rank, axes)?.size ?? 0);
      return count ? [words("card.outside_of", { name: this.nameOf(axes), n: count })] : [];
    });
    const itself = this.drawn.includes(rank) ? "" : `${words("card.rank_outside", { rank })} `;
    if (!missing.length) return words("card.all_drawn");
    return itself + words("card.outside", { groups: this.listed(missing) });
  }

  // "node 12", or the name of its host.
  nodeInWords(rank) {
    const node = Math.floor(rank / this.gpusPerNode);
    return hostOf(node) ?? this.words("picture.node", { node });
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

  // Which coordinates, groups and nodes the pinned rank and another one share.
  compare(pinned, other) {
    const { words } = this;
    const said =
      pinned === null
        ? words("card.pin_hint")
        : other === null || other === pinned
          ? words(this.isEmbedded ? "card.compare_hint_embedded" : "card.compare_hint", { pinned })
          : this.comparisonInWords(pinned, other);
    write(this.comparison, said);
  }

  comparisonInWords(pinned, other) {
    const { words, grid, gpusPerNode } = this;
    const differing = grid.differing(pinned, other);
    const same = grid.axes.filter((axis) => !differing.includes(axis));
    const holding = this.kinds
      .filter((axes) => differing.every((axis) => axes.includes(axis)))
      .map((axes) =>
        words("compare.group", { name: this.nameOf(axes), index: grid.groupIndexOf(pinned, axes) }),
      );
    const [here, there] = [pinned, other].map((rank) => this.nodeInWords(rank));
    const together = Math.floor(pinned / gpusPerNode) === Math.floor(other / gpusPerNode);
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
      together
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
    const also = this.further.length ? [this.alsoInWords(rank)] : [];
    return [this.placeInWords(rank, pinned), ...parts, ...also].join(words("list.sentences"));
  }

  // Rank, coordinate and node in one sentence; and how it stands to the pinned rank, where there is one.
  placeInWords(rank, pinned) {
    const { words, gpusPerNode } = this;
    const place = words("card.spoken", {
      rank,
      coordinate: this.listed(this.axes.map((axis) => this.positionInWords(rank, axis))),
      node: this.nodeInWords(rank),
      local: rank % gpusPerNode,
    });
    if (pinned === null || pinned === rank) return place;
    return [place, this.comparisonInWords(pinned, rank)].join(words("list.sentences"));
  }
}

// Makes `text` an element's words; true where they were others. Words that stay cost the browser nothing.
function write(element, text) {
  if (element.textContent === text) return false;
  element.textContent = text;
  return true;
}
