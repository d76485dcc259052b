// Splits a changed member of a model into lines of text; a price has one line per changed unit.

import type { PlannedChange } from '@fairgate/contracts/management/planned-action.ts'
import { formatPrice, namePrice } from '../../../format/price.ts'

type State = PlannedChange['from']
export type MemberChange = { readonly name: string; readonly from: string; readonly to: string }

/** `member`: such as `price` or `context_limit`. Lists and prices come as JSON. */
export function listMemberChanges(member: string, from: State, to: State): MemberChange[] {
  if (member !== 'price') return [{ name: member.replaceAll('_', ' '), from: show(from), to: show(to) }]
  const [before, after] = [readPrices(from), readPrices(to)]
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter(unit => before.get(unit) !== after.get(unit))
    .map(unit => ({
      name: namePrice(unit),
      from: showPrice(unit, before.get(unit)),
      to: showPrice(unit, after.get(unit)),
    }))
}

function readPrices(state: State): ReadonlyMap<string, number> {
  const prices: unknown = typeof state === 'string' ? JSON.parse(state) : {}
  return new Map(
    Object.entries(Object(prices)).flatMap(([unit, usd]): [string, number][] =>
      typeof usd === 'number' ? [[unit, usd]] : [],
    ),
  )
}

function showPrice(unit: string, usd: number | undefined): string {
  return usd === undefined ? 'none' : formatPrice(unit, usd)
}

function show(state: State): string {
  return state === null ? 'none' : String(state)
}
