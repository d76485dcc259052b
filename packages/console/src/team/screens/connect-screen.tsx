// How to connect a tool: choose it, copy two snippets, and see the first call arrive.

import type { SelfModels } from '@fairgate/contracts/console/self.ts'
import { Button } from '@mantine/core'
import { useState } from 'react'
import { readOf, useRead } from '../../api/use-read.ts'
import { Badge } from '../../show/badge.tsx'
import { Card } from '../../show/card.tsx'
import { CopyButton } from '../../show/copy-button.tsx'
import { Loaded } from '../../show/states.tsx'
import { useHeldKey } from '../held-key.tsx'
import { LightsCard } from '../parts/lights-card.tsx'
import { useSelf } from '../self-context.tsx'
import { chooseModels, exportLine, listSnippets } from '../snippets.ts'
import { useTeamSearch } from '../team-link.tsx'

export function ConnectScreen() {
  const { addresses, keys } = useSelf()
  const [search, set] = useTeamSearch()
  const held = useHeldKey()
  const models = useRead(readOf<SelfModels>('/self/models'))
  const lastFour = keys.find(({ is_own }) => is_own)?.key_name.slice(-4) ?? ''
  return (
    <>
      <h1>Connect a tool</h1>
      <div className="team-columns">
        <Card>
          <Loaded read={models} what="The models" height={400}>
            {({ items }) => {
              const snippets = listSnippets({ base: addresses.gateway, ...chooseModels(items) })
              const shown = snippets.find(({ id }) => id === search.tool) ?? snippets[0]
              if (shown === undefined) return null
              return (
                <div className="stack">
                  <div className="row wrap">
                    {snippets.map(({ id, name }) => (
                      <button
                        key={id}
                        type="button"
                        className="chip"
                        aria-pressed={id === shown.id}
                        onClick={() => set({ tool: id })}
                      >
                        {name}
                      </button>
                    ))}
                  </div>
                  <Code
                    title="1. Your key, in the shell"
                    code={exportLine(null, lastFour)}
                    copied={held === null ? null : exportLine(held, lastFour)}
                  />
                  {held === null ? (
                    <p className="small muted">
                      Keys are kept as digests, so this page does not know yours. Replace the dots, or sign in
                      by typing the key: it then can be copied whole.
                    </p>
                  ) : null}
                  <Code title={`2. ${shown.before}`} code={shown.code} copied={shown.code} />
                  {shown.after === '' ? null : <p className="small muted">{shown.after}</p>}
                  <FirstCall />
                </div>
              )
            }}
          </Loaded>
        </Card>
        <LightsCard />
      </div>
    </>
  )
}

/** `copied`: null where copying what is shown would be of no use. */
function Code({
  title,
  code,
  copied,
}: {
  readonly title: string
  readonly code: string
  readonly copied: string | null
}) {
  return (
    <section>
      <div className="row-between">
        <h2>{title}</h2>
        {copied === null ? null : (
          <CopyButton text={copied} label={copied === code ? 'Copy' : 'Copy with key'} />
        )}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by keyboard. */}
      <pre className="snippet" tabIndex={0}>
        {code}
      </pre>
    </section>
  )
}

/** Waits for a call that comes after the button was pressed. */
function FirstCall() {
  const { last_call } = useSelf()
  const [waitsSince, setWaitsSince] = useState<string | null | undefined>(undefined)
  if (waitsSince === undefined)
    return (
      <div className="row">
        <Button variant="default" onClick={() => setWaitsSince(last_call)}>
          Test it
        </Button>
        <span className="small muted">waits here for the next call of your team</span>
      </div>
    )
  return last_call === waitsSince ? (
    <Badge tone="warn">Waiting for a call… Use your tool now.</Badge>
  ) : (
    <Badge tone="ok">A call has arrived. It works.</Badge>
  )
}
