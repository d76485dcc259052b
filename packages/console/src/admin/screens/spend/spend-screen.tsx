// Spend.
import { PageHead } from '../../../show/page-head.tsx'

export function SpendScreen() {
  return <PageHead title="Spend" />
}
