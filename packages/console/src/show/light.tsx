// A status light with a tooltip that gives its name, state and reason on hover, focus and tap.
import { Tooltip } from '@mantine/core'
import { LightSign, type LightTone } from './light-sign.tsx'

export type { LightTone }

const words: Readonly<Record<LightTone, string>> = {
  ok: 'OK',
  warn: 'needs attention',
  blocked: 'stopped',
  none: 'not yet',
}

/** `label`: the light's name. `text`: the sentence shown on hover and focus. */
export function Light({
  tone,
  label,
  text,
  size = 18,
}: {
  readonly tone: LightTone
  readonly label: string
  readonly text?: string
  readonly size?: number
}) {
  const sign = (
    <LightSign
      tone={tone}
      size={size}
      label={`${label}: ${words[tone]}${text === undefined ? '' : `. ${text}`}`}
    />
  )
  if (text === undefined) return sign
  return (
    <Tooltip label={`${label}: ${text}`} multiline maw={320}>
      <span>{sign}</span>
    </Tooltip>
  )
}
