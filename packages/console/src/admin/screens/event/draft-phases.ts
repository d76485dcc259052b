// Converts phases between the form and the request body. Times have no offset: the server reads them in the event's time zone.
import type { EventRecord, PhaseFields, PhaseRecord } from '@fairgate/contracts/management/event.ts'
import { parseMoney } from '../../../format/money.ts'
import type { PlannedRequest } from '../../../show/send-planned.ts'

export type DraftPhase = {
  /** Identifies the row in the form. */
  readonly id: string
  readonly name: string
  /** Such as `2026-11-21T10:00`; empty for none. */
  readonly from: string
  readonly until: string
  readonly gateway: 'open' | 'closed'
  /** USD; empty for none. */
  readonly budget: string
  readonly isNewPeriod: boolean
  readonly entriesUntil: string
  readonly submissionsUntil: string
  /** Null for all models. */
  readonly models: readonly string[] | null
}

export function emptyDraft(id: string, from = ''): DraftPhase {
  return {
    id,
    name: '',
    from,
    until: '',
    gateway: 'open',
    budget: '',
    isNewPeriod: false,
    entriesUntil: '',
    submissionsUntil: '',
    models: null,
  }
}

export function draftOf(phase: PhaseRecord, zone: string): DraftPhase {
  const local = (at: string | null) => (at === null ? '' : toLocal(Date.parse(at), zone))
  return {
    id: phase.name,
    name: phase.name,
    from: local(phase.from),
    until: local(phase.until),
    gateway: phase.gateway,
    budget: phase.budget_nano === null ? '' : String(phase.budget_nano / 1e9),
    isNewPeriod: phase.accounting === 'new',
    entriesUntil: local(phase.entries_until),
    submissionsUntil: local(phase.submissions_until),
    models: phase.models,
  }
}

/** Local time of an instant in a zone, to the minute; with seconds only if they are not zero. */
export function toLocal(at: number, zone: string): string {
  const parts = new Intl.DateTimeFormat('sv-SE', {
    timeZone: zone,
    dateStyle: 'short',
    timeStyle: 'medium',
  }).format(at)
  return parts.replace(' ', 'T').replace(/:00$/, '')
}

export function isBudgetWrong({ budget }: Pick<DraftPhase, 'budget'>): boolean {
  return budget.trim() !== '' && parseMoney(budget) === null
}

/** Requests that set all phases back to this record. */
export function restorePhases({ phases }: EventRecord): readonly PlannedRequest[] {
  return [{ method: 'PUT', path: '/event/phases', body: { phases } }]
}

/** Null while a field is missing or not a number. */
export function toPhasesBody(drafts: readonly DraftPhase[]): { readonly phases: PhaseFields[] } | null {
  const phases: PhaseFields[] = []
  for (const draft of drafts) {
    const budget = draft.budget.trim() === '' ? null : parseMoney(draft.budget)
    if (draft.name.trim() === '' || draft.from === '' || isBudgetWrong(draft)) return null
    phases.push({
      name: draft.name.trim(),
      from: draft.from,
      ...(draft.until === '' ? {} : { until: draft.until }),
      gateway: draft.gateway,
      ...(budget === null ? {} : { budget_nano: budget }),
      ...(draft.isNewPeriod ? { accounting: 'new' as const } : {}),
      ...(draft.entriesUntil.trim() === '' ? {} : { entries_until: draft.entriesUntil.trim() }),
      ...(draft.submissionsUntil.trim() === '' ? {} : { submissions_until: draft.submissionsUntil.trim() }),
      ...(draft.models === null ? {} : { models: [...draft.models] }),
    })
  }
  return { phases }
}
