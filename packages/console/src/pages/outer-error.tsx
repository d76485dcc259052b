// Outermost error boundary, so that a failure never leaves a blank page.
import { Button } from '@mantine/core'
import { Component, type ReactNode } from 'react'

type Props = { readonly children: ReactNode }

const reloadKey = 'fairgate-reloaded'

export class OuterError extends Component<Props, { readonly error: Error | null }> {
  override state = { error: null }

  static getDerivedStateFromError(error: Error): { readonly error: Error } {
    return { error }
  }

  /** After an upgrade the old page's chunks are gone. One silent reload fetches the new page. */
  override componentDidCatch(error: Error): void {
    if (!isMissingChunk(error) || sessionStorage.getItem(reloadKey) === location.pathname) return
    sessionStorage.setItem(reloadKey, location.pathname)
    location.reload()
  }

  override render(): ReactNode {
    const { error } = this.state as { readonly error: Error | null }
    if (error === null) return this.props.children
    return (
      <div className="empty" role="alert">
        <h1>{isMissingChunk(error) ? 'A new version is available' : 'This page has failed'}</h1>
        <p>
          {isMissingChunk(error)
            ? 'The server was upgraded while this page was open.'
            : `No data was changed. Error: ${error.message}`}
        </p>
        <Button onClick={() => location.reload()}>Reload</Button>
      </div>
    )
  }
}

function isMissingChunk({ message }: Error): boolean {
  return /dynamically imported module|module script failed/i.test(message)
}
