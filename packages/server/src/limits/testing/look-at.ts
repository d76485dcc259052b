// Reads running calls and windows through the port alone: a call that may not run is refused with both and takes nothing.
import type { CatalogModel } from '../../catalog/types.ts'
import type { Key, Team } from '../../directory/types.ts'
import type { AdmissionRequest, Decision, OwnerRef, RateSnapshot, Spend } from '../port.ts'
import { type BuiltRequest, buildRequest } from './build-parties.ts'

export type Look = { readonly running: number; readonly rates: RateSnapshot }

/** `model` null: only the windows over all models. */
export function buildLook(team: Team, key: Key, model: CatalogModel | null = null): BuiltRequest {
  const hasNoSlot = { ...key, maxParallelRequests: 0 }
  return buildRequest({ team, key: hasNoSlot, model, countsRequest: false, estimate: { kind: 'none' } })
}

export function readLook(decision: Decision): Look {
  if (decision.admitted) throw new Error('A key without slots has been let in.')
  return { running: decision.refusal.used, rates: decision.rates }
}

type ReadSpend = (
  asked: readonly { readonly owner: OwnerRef; readonly periodStart: number }[],
) => readonly Spend[] | Promise<readonly Spend[]>

/** Spend of one owner. */
export async function readSpendOf(
  limits: { readonly readSpend: ReadSpend },
  owner: OwnerRef,
  periodStart: number,
): Promise<Spend> {
  const [spend] = await limits.readSpend([{ owner, periodStart }])
  if (spend === undefined) throw new Error('The limits have not answered.')
  return spend
}

/** For an engine that decides synchronously. */
export function lookAt(
  limits: { readonly admit: (request: AdmissionRequest) => Decision },
  ...parties: Parameters<typeof buildLook>
): Look {
  return readLook(limits.admit(buildLook(...parties)))
}
