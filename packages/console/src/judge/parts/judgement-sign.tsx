// How far the judge is with a team, as a shape of its own for each state.
import type { JudgementState } from '@fairgate/contracts/judging/scores.ts'
import type { ReactNode } from 'react'
import { LightSign } from '../../show/light-sign.tsx'

const words: Readonly<Record<JudgementState, string>> = {
  to_read: 'to read',
  begun: 'begun',
  done: 'done',
  unable: 'could not judge',
}

export function JudgementSign({ state }: { readonly state: JudgementState }) {
  const shape = ownShapes[state]
  if (shape === undefined) return <LightSign tone={state === 'done' ? 'ok' : 'none'} label={words[state]} />
  return (
    <svg className="light" viewBox="0 0 18 18" role="img" aria-label={words[state]}>
      {shape}
    </svg>
  )
}

const ownShapes: { readonly [State in JudgementState]?: ReactNode } = {
  begun: (
    <>
      <circle cx="9" cy="9" r="7" fill="none" stroke="var(--accent)" strokeWidth="1.6" />
      <path d="M9 4.2a4.8 4.8 0 0 1 0 9.6z" fill="var(--accent)" />
    </>
  ),
  unable: (
    <>
      <circle cx="9" cy="9" r="7" fill="none" stroke="var(--control)" strokeWidth="1.6" />
      <path d="M5.5 9h7" stroke="var(--control)" strokeWidth="1.8" />
    </>
  ),
}
