// A field for a time in the zone of the event: typed the same way in every browser, with what it means in words below it.

import { readLocalMoments } from '@fairgate/contracts/text/zoned-time.ts'
import { formatDay, formatDistance, formatZone } from '../format/time.ts'
import { useServerNow } from '../live/live-context.tsx'
import { TextField } from './text-field.tsx'
import { useZone } from './zone-context.tsx'

/** `value` and `onChange`: `2026-11-21T18:00` without an offset, as routes take it, or whatever was typed; empty for none. */
export function TimeField({
  label,
  value,
  onChange,
  whenEmpty,
  error,
  required = false,
}: {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  /** What an empty field means. */
  readonly whenEmpty?: string
  readonly error?: string | null
  readonly required?: boolean
}) {
  const zone = useZone()
  const now = useServerNow(10_000)
  const moment = readLocalMoments(value, zone)?.[0]
  const isWrong = value !== '' && moment === undefined
  return (
    <TextField
      label={label}
      placeholder="2026-11-21 18:00"
      description={
        moment === undefined
          ? whenEmpty
          : `${formatDay(moment, zone)} ${formatZone(zone, moment)}, ${formatDistance(moment, now)}`
      }
      value={value.replace('T', ' ')}
      onChange={text => onChange(text.trimStart().replace(' ', 'T'))}
      error={error ?? (isWrong ? 'Write it as 2026-11-21 18:00' : null)}
      maxLength={19}
      required={required}
    />
  )
}
