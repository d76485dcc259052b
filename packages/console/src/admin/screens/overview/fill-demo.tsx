// On a server that is there to be tried: offers to make up an event that has been running, so that every screen has something to show.

import type { DemoState, FilledDemo } from '@fairgate/contracts/management/demo.ts'
import { Button } from '@mantine/core'
import { readOf, useAct, useRead } from '../../../api/use-read.ts'

export function FillDemo() {
  const demo = useRead(readOf<DemoState>('/demo'))
  const fill = useAct<Record<string, never>, FilledDemo>({ method: 'POST', path: '/demo/fill' })
  if (demo.data?.can_fill !== true) return null
  return (
    <section className="notice" data-tone="info" aria-label="A rehearsed event">
      <div className="grow">
        <p className="strong">Nothing has happened here yet.</p>
        <p>
          A rehearsed event shows what this console can tell: twelve made-up teams, five hours of calls and
          log entries. It costs nothing, says everywhere that it is a rehearsal, and goes when the data folder
          is deleted.
        </p>
        {fill.error === null ? null : <p role="alert">{fill.error.message}</p>}
      </div>
      <Button loading={fill.isPending} onClick={() => fill.mutate({})}>
        Fill it with a rehearsal
      </Button>
    </section>
  )
}
