// Why was my call refused? The newest refusal of the last ten minutes, with its figures and the way out.
import { TriangleAlert } from 'lucide-react'
import { countOf } from '../../format/number.ts'
import { ForeignText } from '../../show/foreign.tsx'
import { Moment } from '../../show/moment.tsx'
import { useSelf } from '../self-context.tsx'
import { TeamLink } from '../team-link.tsx'
import { refusalHeadline } from './refusal-headline.ts'

export function RefusalCard() {
  const { refusal } = useSelf()
  if (refusal === null) return null
  return (
    <section className="notice" data-tone="warn" aria-label="Newest refusal" data-refusal>
      <TriangleAlert size={18} aria-hidden color="var(--fill-warn)" />
      <div className="grow">
        <p className="strong">
          {refusal.count > 1 ? `${countOf(refusal.count, 'call')} were` : 'A call was'} refused,{' '}
          <Moment at={refusal.last_at} as="ago" />: {refusalHeadline(refusal.code)}{' '}
          <code className="faint">{refusal.code}</code>
        </p>
        <p>
          <ForeignText text={refusal.explanation ?? ''} most={800} />
          {/nothing was charged/i.test(refusal.explanation ?? '') ? '' : ' Nothing was charged.'}
        </p>
        <p className="row wrap">
          <TeamLink href={`/calls?call=${encodeURIComponent(refusal.call_id)}`}>See the call</TeamLink>
          <TeamLink href="/limits">Your limits</TeamLink>
        </p>
      </div>
    </section>
  )
}
