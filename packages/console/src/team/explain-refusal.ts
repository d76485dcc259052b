// Explains in a sentence why a call met a per-minute limit, how long to wait, and which other model has room.
import type { CallItem } from '@fairgate/contracts/calls/call.ts'
import type { SelfModels } from '@fairgate/contracts/console/self.ts'
import type { LimitInUse } from '@fairgate/contracts/console/team-detail.ts'
import { countOf, formatCount } from '../format/number.ts'

type Refused = Pick<CallItem, 'code' | 'count' | 'refusal' | 'model_served' | 'model_asked'>
type Model = Pick<SelfModels['items'][number], 'id' | 'modality'>

const owners: Readonly<Record<string, string>> = {
  service_model: 'all teams together',
  team_model: 'your team',
  key_model: 'your key',
}

/** Null for other refusals, for which the server's own explanation suffices. `now`: Unix ms. */
export function explainRefusal(
  call: Refused,
  limits: readonly LimitInUse[],
  models: readonly Model[],
  now: number,
): string | null {
  const { code, refusal } = call
  const unit = code === 'rpm_exceeded' ? 'request' : code === 'tpm_exceeded' ? 'token' : null
  const limit = Number(refusal?.limit)
  if (unit === null || refusal === null || !Number.isFinite(limit)) return null
  const model = call.model_served ?? call.model_asked
  const ofModel = owners[refusal.level]
  const amount = countOf(limit, unit)
  const rule =
    ofModel !== undefined && model !== null
      ? `${model} accepts ${amount} from ${ofModel} in any 60 s.`
      : `Your ${refusal.level} can send ${amount} in any 60 s.`
  const used = Number(refusal.used)
  const sent =
    unit === 'token'
      ? ` ${formatCount(Math.max(0, limit - used))} were left, and the call needed more.`
      : call.count > 1 || refusal.level === 'service_model'
        ? ''
        : ` This was number ${formatCount(used + 1)}.`
  const other = ofModel === undefined || model === null ? null : findOther(model, code ?? '', limits, models)
  return `${rule}${sent} ${describeWait(refusal.reset, now)}${other === null ? '.' : `, or use ${other}.`}`
}

function describeWait(reset: string | null, now: number): string {
  if (reset === null) return 'Send less at a time'
  const seconds = Math.ceil((Date.parse(reset) - now) / 1000)
  return seconds > 0 ? `Wait ${seconds} s` : 'You can try again now'
}

/** Finds another model of the same modality that is below its own limits. */
function findOther(
  model: string,
  code: string,
  limits: readonly LimitInUse[],
  models: readonly Model[],
): string | null {
  const modality = models.find(({ id }) => id === model)?.modality
  const kind = code === 'rpm_exceeded' ? 'requests' : 'tokens'
  for (const { id, modality: other } of models) {
    if (id === model || other !== modality) continue
    const own = limits.filter(each => each.model === id && each.kind !== 'budget')
    if (own.some(({ used, limit }) => used >= limit)) continue
    const rooms = own.filter(each => each.kind === kind).map(({ used, limit }) => limit - used)
    return rooms.length === 0 ? id : `${id}, which has room for ${formatCount(Math.min(...rooms))}`
  }
  return null
}
