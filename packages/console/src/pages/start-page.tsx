// Starts a page: styles under the content security policy, theme, requests and live stream.
import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { setNonce } from 'get-nonce'
import { type ReactNode, StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { createQueryClient } from '../api/create-query-client.ts'
import { createSendRequest } from '../api/request.ts'
import { PagePartsProvider } from '../live/live-context.tsx'
import { LiveStream } from '../live/live-stream.ts'
import { cssVariablesResolver, theme } from '../theme/theme.ts'
import { OuterError } from './outer-error.tsx'

export type PageStart = {
  /** Returns the address of the live stream for these topics. */
  readonly streamAddress: (topics: readonly string[]) => string
  /** Called when the session has ended. */
  readonly onSignedOut: () => void
  readonly page: ReactNode
}

/** A page that is hidden for this long closes its connection. */
const hiddenMs = 30_000

export function startPage({ streamAddress, onSignedOut, page }: PageStart): void {
  const nonce = document.querySelector('meta[name="csp-nonce"]')?.getAttribute('content') ?? ''
  // Dialogs add their own style element to lock scrolling behind them.
  setNonce(nonce)
  const queries = createQueryClient()
  const live = new LiveStream({
    connect: address => new EventSource(address),
    addressOf: streamAddress,
    now: Date.now,
    after: (milliseconds, run) => {
      const timer = setTimeout(run, milliseconds)
      return () => clearTimeout(timer)
    },
    onMissed: () => void queries.invalidateQueries(),
  })
  watchVisibility(live)
  const send = createSendRequest(fetch.bind(globalThis), onSignedOut)
  const root = document.getElementById('root')
  if (root === null) throw new Error('The document has no element with the id "root".')
  createRoot(root).render(
    <StrictMode>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={cssVariablesResolver}
        defaultColorScheme="auto"
        getStyleNonce={() => nonce}
      >
        <QueryClientProvider client={queries}>
          <PagePartsProvider parts={{ send, live }}>
            <OuterError>{page}</OuterError>
          </PagePartsProvider>
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  )
}

function watchVisibility(live: LiveStream): void {
  let timer: ReturnType<typeof setTimeout> | null = null
  document.addEventListener('visibilitychange', () => {
    if (timer !== null) clearTimeout(timer)
    timer = null
    if (document.hidden) timer = setTimeout(() => live.sleep(), hiddenMs)
    else live.wake()
  })
  // A page must close its connection at once to enter the back/forward cache.
  addEventListener('pagehide', () => live.sleep())
  addEventListener('pageshow', () => live.wake())
}
