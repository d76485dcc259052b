// Shows when a log entry happened, plus the time it claims if that is after its receipt.
import { readEntryTimes } from '@fairgate/contracts/logbook/entry-times.ts'
import { Badge } from './badge.tsx'
import { Moment, type MomentProps } from './moment.tsx'

export function EntryMoment({
  times,
  as,
}: {
  readonly times: Parameters<typeof readEntryTimes>[0]
  readonly as?: MomentProps['as']
}) {
  const { at, claimed } = readEntryTimes(times)
  return (
    <>
      <Moment at={at} {...(as === undefined ? {} : { as })} />
      <Claim at={claimed} />
    </>
  )
}

/** Renders nothing for null. */
export function Claim({ at }: { readonly at: string | null }) {
  return at === null ? null : (
    <>
      {' '}
      <Badge tone="warn">
        <span>
          claims <Moment at={at} />
        </span>
      </Badge>
    </>
  )
}
