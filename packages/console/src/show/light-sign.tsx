// Shapes of the status lights. Each state has its own shape, so that colour is not needed.
import type { ReactNode } from 'react'

/** `none`: not yet. `ok`: working. `warn`: a problem. `blocked`: stopped. */
export type LightTone = 'ok' | 'warn' | 'blocked' | 'none'

/** `label`: the text for screen readers; empty if the words are next to it. */
export function LightSign({
  tone,
  label,
  size = 18,
}: {
  readonly tone: LightTone
  readonly label: string
  readonly size?: number | string
}) {
  return (
    <svg
      className="light"
      viewBox="0 0 18 18"
      role="img"
      aria-label={label}
      aria-hidden={label === ''}
      style={{ width: size, height: size }}
    >
      {shapes[tone]}
    </svg>
  )
}

const shapes: Readonly<Record<LightTone, ReactNode>> = {
  ok: (
    <>
      <circle cx="9" cy="9" r="8" fill="var(--fill-ok)" />
      <path d="M5.4 9.2l2.4 2.4 4.8-5" fill="none" stroke="var(--panel)" strokeWidth="1.8" />
    </>
  ),
  warn: (
    <>
      <path d="M9 1.5L17 16H1z" fill="var(--fill-warn)" />
      <path d="M9 6.6v4.4M9 12.6v1.6" stroke="var(--panel)" strokeWidth="1.8" />
    </>
  ),
  blocked: (
    <>
      <rect x="1.5" y="1.5" width="15" height="15" rx="2.5" fill="var(--fill-bad)" />
      <path d="M5.8 5.8l6.4 6.4M12.2 5.8l-6.4 6.4" stroke="#fff" strokeWidth="1.8" />
    </>
  ),
  none: (
    <circle
      cx="9"
      cy="9"
      r="7"
      fill="none"
      stroke="var(--control)"
      strokeWidth="1.6"
      strokeDasharray="3 2.4"
    />
  ),
}
