// The errors that any call for information can end with, for the routes' descriptions; with the upstream's, where it is asked.
import type { ErrorCode } from '@fairgate/contracts/errors/registry.ts'

export const infoCallErrors = [
  'invalid_api_key',
  'key_blocked',
  'key_expired',
  'team_blocked',
  'route_not_allowed',
  'parallel_exceeded',
] as const satisfies readonly ErrorCode[]

export const upstreamErrors = [
  'upstream_rejected',
  'upstream_rate_limited',
  'upstream_error',
  'upstream_auth',
  'upstream_overloaded',
  'upstream_timeout',
] as const satisfies readonly ErrorCode[]
