// Audit.
import { PageHead } from '../../../show/page-head.tsx'

export function AuditScreen() {
  return <PageHead title="Audit" />
}
