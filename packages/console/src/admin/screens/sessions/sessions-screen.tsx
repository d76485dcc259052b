// Sessions.
import { PageHead } from '../../../show/page-head.tsx'

export function SessionsScreen() {
  return <PageHead title="Sessions" />
}
