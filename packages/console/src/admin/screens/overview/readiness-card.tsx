// Whether every part of the server is sound; behind each light stands what was found and how it is fixed.

import type { ReadinessItem, ReadinessReport } from '@fairgate/contracts/management/readiness.ts'
import { Button, Drawer } from '@mantine/core'
import { useState } from 'react'
import { readOf, useAct, useRead } from '../../../api/use-read.ts'
import { useRefresh } from '../../../live/live-context.tsx'
import { Card } from '../../../show/card.tsx'
import { CopyButton } from '../../../show/copy-button.tsx'
import { ForeignText } from '../../../show/foreign.tsx'
import { Light, type LightTone } from '../../../show/light.tsx'
import { Moment } from '../../../show/moment.tsx'
import { Loaded } from '../../../show/states.tsx'

const tones: Readonly<Record<ReadinessItem['state'], LightTone>> = {
  ok: 'ok',
  warning: 'warn',
  fault: 'blocked',
}

export function ReadinessCard() {
  const readiness = useRead(readOf<ReadinessReport>('/readiness'))
  useRefresh('readiness', [['/readiness']])
  const [shown, setShown] = useState<string | null>(null)
  const item = readiness.data?.items.find(({ part }) => part === shown)
  return (
    <Card
      title="Readiness"
      note={
        readiness.data === undefined ? undefined : (
          <>
            at <Moment at={readiness.data.as_of} as="clock" />
          </>
        )
      }
    >
      <Loaded read={readiness} what="The readiness" height={220}>
        {({ items }) => (
          <ul className="readiness">
            {items.map(({ part, state, text }) => (
              <li key={part}>
                <button type="button" className="readiness-row" onClick={() => setShown(part)}>
                  <Light tone={tones[state]} label={part} size={15} />
                  <span className="strong readiness-part">{part.replaceAll('_', ' ')}</span>
                  <span className="muted cut grow">{text}</span>
                </button>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      {item === undefined ? null : <ReadinessDrawer item={item} onClose={() => setShown(null)} />}
    </Card>
  )
}

function ReadinessDrawer({ item, onClose }: { readonly item: ReadinessItem; readonly onClose: () => void }) {
  const check = useAct<Record<string, never>, unknown>({
    method: 'POST',
    path: `/readiness/${encodeURIComponent(item.part)}/check`,
    changes: ['/readiness'],
  })
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size={468}
      title={<span className="dialog-title">{item.part.replaceAll('_', ' ')}</span>}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <div className="stack">
        <p className="muted small">
          So since <Moment at={item.since} />, looked at <Moment at={item.checked_at} as="ago" />.
        </p>
        <ul className="stack">
          {item.findings.map(({ state, text, fix }) => (
            <li key={text} className="sunken-box">
              <span className="row">
                <Light tone={tones[state]} label={state} />
                <ForeignText text={text} />
              </span>
              {fix === null ? null : (
                <div className="row-between">
                  <span className="small">
                    <ForeignText text={fix} most={800} />
                  </span>
                  <CopyButton text={fix} isIcon />
                </div>
              )}
            </li>
          ))}
        </ul>
        {check.error === null ? null : <p role="alert">{check.error.message}</p>}
        <Button variant="default" loading={check.isPending} onClick={() => check.mutate({})}>
          Check now
        </Button>
      </div>
    </Drawer>
  )
}
