// Seeded random choices: a campaign's next step and its target.

export type Dice = {
  /** A number in [0, 1). */
  readonly roll: () => number
  readonly integer: (from: number, to: number) => number
  readonly chance: (share: number) => boolean
  readonly pick: <Item>(items: readonly Item[]) => Item
  /** Letters and digits. */
  readonly name: () => string
}

/** Mulberry32: small, quick, and even enough for this. */
export function createDice(seed: number): Dice {
  let state = seed >>> 0
  let names = 0
  const roll = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const integer = (from: number, to: number) => from + Math.floor(roll() * (to - from + 1))
  return {
    roll,
    integer,
    chance: share => roll() < share,
    pick: items => {
      const item = items[integer(0, items.length - 1)]
      if (item === undefined) throw new Error('There is nothing to pick from.')
      return item
    },
    name: () => {
      names += 1
      return `${seed.toString(36)}x${names.toString(36)}`
    },
  }
}
