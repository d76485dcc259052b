// Calls.
import { PageHead } from '../../../show/page-head.tsx'

export function CallsScreen() {
  return <PageHead title="Calls" />
}
