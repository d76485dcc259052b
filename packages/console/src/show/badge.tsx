// A state in a word, with an icon, never by colour alone.
import { Ban, Check, Clock, Info, TriangleAlert, X } from 'lucide-react'
import type { ReactNode } from 'react'

export type BadgeTone = 'ok' | 'warn' | 'bad' | 'info' | 'held' | 'plain'

const icons = {
  ok: Check,
  warn: TriangleAlert,
  bad: X,
  info: Info,
  held: Clock,
  plain: null,
} as const

export function Badge({
  tone = 'plain',
  icon,
  children,
}: {
  readonly tone?: BadgeTone
  /** Replaces the tone's own icon; null for none. */
  readonly icon?: ReactNode
  readonly children: ReactNode
}) {
  const Icon = icons[tone]
  return (
    <span className="badge" data-tone={tone}>
      {icon === undefined && Icon !== null ? <Icon aria-hidden /> : icon}
      {children}
    </span>
  )
}

/** Tones and labels of call outcomes. */
const outcomes: Readonly<Record<string, readonly [BadgeTone, string]>> = {
  completed: ['ok', 'completed'],
  replayed: ['plain', 'replayed'],
  refused: ['bad', 'refused'],
  failed: ['bad', 'failed'],
  client_closed: ['plain', 'disconnected'],
  interrupted: ['warn', 'interrupted'],
}

export function OutcomeBadge({ outcome, code }: { readonly outcome: string; readonly code: string | null }) {
  const [tone, word] = outcomes[outcome] ?? (['plain', outcome.replaceAll('_', ' ')] as const)
  return (
    <span className="row nowrap">
      <Badge tone={tone} icon={outcome === 'refused' ? <Ban aria-hidden /> : undefined}>
        {word}
      </Badge>
      {code === null ? null : <code className="faint from-768">{code}</code>}
    </span>
  )
}
