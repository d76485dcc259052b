// Formats changes for people: one line each, or summed up by kind if there are too many to read.
import type { ActionReply } from '@fairgate/contracts/management/planned-action.ts'
import { formatNano } from './format.ts'

type Change = ActionReply['changes'][number]

/** Up to this number, changes are listed one by one. */
const maxLines = 30
/** A kind with no more than this many is not worth summing up. */
const fewOfKind = 3
const namesShown = 3

/** One line each. */
export function listChanges(changes: readonly Change[]): readonly string[] {
  return changes.map(describeChange)
}

/** Like `listChanges` for up to 30; otherwise one line for all similar changes, with a few of their names. */
export function summariseChanges(changes: readonly Change[]): readonly string[] {
  if (changes.length <= maxLines) return listChanges(changes)
  const kinds = Map.groupBy(changes, kindOf)
  return [
    ...changes.flatMap(change => {
      const ofKind = kinds.get(kindOf(change)) ?? []
      if (ofKind.length <= fewOfKind) return listChanges([change])
      return ofKind[0] === change ? summariseKind(change, ofKind) : []
    }),
    `  --verbose shows all ${changes.length} changes, one per line.`,
  ]
}

function kindOf({ what, from }: Change): string {
  return from === null ? `${what} made` : what
}

/** `ofKind`: all changes of the same member of the same kind of thing, `first` among them. */
function summariseKind(first: Change, ofKind: readonly Change[]): readonly string[] {
  const { what, from } = first
  const names = nameSome(ofKind)
  // A noun without a member is the thing itself.
  if (!what.includes('.') && from === null) return [`  ${ofKind.length} new ${nounOf(what)}: ${names}`]
  const alike = Map.groupBy(ofKind, change => describeStates(change))
  if (alike.size > fewOfKind)
    return [`  ${nameMember(what)} of ${ofKind.length} ${nounOf(what)}, with different values: ${names}`]
  return [...alike].flatMap(([states, same]) =>
    same.length === 1
      ? listChanges(same)
      : [`  ${nameMember(what)} of ${same.length} ${nounOf(what)}: ${states} (${nameSome(same)})`],
  )
}

function nameSome(changes: readonly Change[]): string {
  const names = changes.slice(0, namesShown).map(({ subject }) => subject)
  const more = changes.length - names.length
  return more === 0 ? names.join(', ') : `${names.join(', ')} and ${more} more`
}

function nounOf(what: string): string {
  return `${(what.split('.')[0] ?? what).replaceAll('_', ' ')}s`
}

function describeChange(change: Change): string {
  const { what, subject, count } = change
  const many = count === 1 ? '' : ` (${count})`
  return `  ${nameMember(what)} of ${subject}: ${describeStates(change)}${many}`
}

function nameMember(what: string): string {
  return what.replace(/_(nano|ms)$/, '')
}

function describeStates({ what, from, to }: Change): string {
  return `${showState(what, from)} → ${showState(what, to)}`
}

/** Over HTTP money is in nano-dollars and time in milliseconds; people read USD and seconds. */
function showState(what: string, state: Change['from']): string {
  if (state === null) return 'none'
  if (typeof state !== 'number') return String(state)
  if (what.endsWith('_nano')) return `${formatNano(state)} USD`
  return what.endsWith('_ms') ? `${state / 1000} s` : String(state)
}
