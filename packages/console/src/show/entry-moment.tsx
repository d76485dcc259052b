// Shows when a log entry happened, and beside it the time that it claims where that lies after its receipt.
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

/** Nothing for null. */
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
