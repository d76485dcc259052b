// Merges pages of multiple lists into one page of all of them, in one order, without going beyond the known part of each.

/** `knownTo`: the last place that this page has looked at; there may be more after it. Null: nothing comes after its items. */
export type PagePart<Item extends Place, Place> = {
  readonly items: readonly Item[]
  readonly knownTo: Place | null
}

export type MergedPage<Item> = {
  readonly items: readonly Item[]
  /** Items of the parts are left out: the page is full, or a part was not known that far. */
  readonly isCut: boolean
  /** Nothing comes after this page. */
  readonly isLast: boolean
}

/** `inOrder`: negative if the first comes before the second. Of equal items that of an earlier part comes first. */
export function mergePages<Item extends Place, Place>(
  parts: readonly PagePart<Item, Place>[],
  inOrder: (one: Place, other: Place) => number,
  limit: number,
): MergedPage<Item> {
  const ends = parts.flatMap(({ knownTo }) => (knownTo === null ? [] : [knownTo]))
  const all = parts.flatMap(({ items }) => items)
  const items = all
    .filter(item => ends.every(end => inOrder(item, end) <= 0))
    .sort(inOrder)
    .slice(0, limit)
  const isCut = items.length < all.length
  return { items, isCut, isLast: !isCut && ends.length === 0 }
}
