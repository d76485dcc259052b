// The newest refusal of the last ten minutes, with its figures and what to do about it.
import type { CallItem } from '@fairgate/contracts/calls/call.ts'
import type { SelfModels } from '@fairgate/contracts/console/self.ts'
import { TriangleAlert } from 'lucide-react'
import { readOf, useRead } from '../../api/use-read.ts'
import { countOf } from '../../format/number.ts'
import { useServerNow } from '../../live/live-context.tsx'
import { ForeignText } from '../../show/foreign.tsx'
import { Moment } from '../../show/moment.tsx'
import { explainRefusal } from '../explain-refusal.ts'
import { useSelf } from '../self-context.tsx'
import { TeamLink } from '../team-link.tsx'
import { refusalHeadline } from './refusal-headline.ts'

export function RefusalCard() {
  const { refusal } = useSelf()
  return refusal === null ? null : <Refusal refusal={refusal} />
}

function Refusal({ refusal }: { readonly refusal: CallItem }) {
  const { limits_now: limits } = useSelf()
  const now = useServerNow()
  const models = useRead(readOf<SelfModels>('/self/models'))
  const text = explainRefusal(refusal, limits, models.data?.items ?? [], now) ?? refusal.explanation ?? ''
  return (
    <section className="notice" data-tone="warn" aria-label="Latest refusal" data-refusal>
      <TriangleAlert size={18} aria-hidden color="var(--fill-warn)" />
      <div className="grow">
        <p className="strong">
          {refusal.count > 1 ? `${countOf(refusal.count, 'call')} were` : 'A call was'} refused,{' '}
          <Moment at={refusal.last_at} as="ago" />: {refusalHeadline(refusal.code)}{' '}
          <code className="faint">{refusal.code}</code>
        </p>
        <p>
          <ForeignText text={text} most={800} />
          {/nothing was charged/i.test(text) ? '' : ' Nothing was charged.'}
        </p>
        <p className="row wrap">
          <TeamLink href={`/calls?call=${encodeURIComponent(refusal.call_id)}`}>View call</TeamLink>
          <TeamLink href="/limits">Your limits</TeamLink>
        </p>
      </div>
    </section>
  )
}
