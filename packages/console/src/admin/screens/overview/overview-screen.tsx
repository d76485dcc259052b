// Overview.
import { PageHead } from '../../../show/page-head.tsx'

export function OverviewScreen() {
  return <PageHead title="Overview" />
}
