// Session.
import { PageHead } from '../../../show/page-head.tsx'

export function SessionScreen() {
  return <PageHead title="Session" />
}
