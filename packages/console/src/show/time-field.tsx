// A field for a time in the event's zone. It has the same format in every browser, and the time in words below it.

import { readLocalMoments } from '@fairgate/contracts/text/zoned-time.ts'
import { formatDay, formatDistance, formatZone } from '../format/time.ts'
import { useServerNow } from '../live/live-context.tsx'
import { TextField } from './text-field.tsx'
import { useZone } from './zone-context.tsx'

/** `value` and `onChange`: `2026-11-21T18:00` without an offset, as routes accept it, or any other text as typed; empty for none. */
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
  /** The meaning of an empty field. */
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
      error={error ?? (isWrong ? 'Use the format 2026-11-21 18:00' : null)}
      maxLength={19}
      required={required}
    />
  )
}
