// Setup checklist, shown until the event begins: each step with its state and action.

import type { FirstStep, FirstSteps } from '@fairgate/contracts/management/first-steps.ts'
import { readOf, useRead } from '../../../api/use-read.ts'
import { Card } from '../../../show/card.tsx'
import { CopyButton } from '../../../show/copy-button.tsx'
import { ForeignText } from '../../../show/foreign.tsx'
import { Light } from '../../../show/light.tsx'
import { LinkButton } from '../../../show/link-button.tsx'

export function FirstStepsCard() {
  const steps = useRead(readOf<FirstSteps>('/first_steps'))
  if (steps.data === undefined) return null
  const { items, done, has_begun } = steps.data
  if (has_begun || done === items.length) return null
  return (
    <Card title="Before the event" note={`${done} of ${items.length} done`}>
      <ol className="first-steps">
        {items.map(step => (
          <Step key={step.step} step={step} />
        ))}
      </ol>
      <p className="muted small">
        For an example event with data, run <code>npm run demo</code> in a source checkout.
      </p>
    </Card>
  )
}

function Step({ step: { title, is_done, text, action } }: { readonly step: FirstStep }) {
  return (
    <li className="first-step">
      <Light tone={is_done ? 'ok' : 'none'} label={is_done ? 'done' : 'to do'} size={16} />
      <div className="grow">
        <div className="strong">{title}</div>
        <div className="muted small">
          <ForeignText text={text} most={200} />
        </div>
        {action.path === null ? (
          <span className="row small">
            <code>{action.command}</code>
            <CopyButton text={action.command} isIcon label={`Copy: ${action.text}`} />
          </span>
        ) : (
          <LinkButton href={action.path} size="xs" title={action.command}>
            {action.text}
          </LinkButton>
        )}
      </div>
    </li>
  )
}
