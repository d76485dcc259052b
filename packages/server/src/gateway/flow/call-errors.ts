// The errors that calls can end with, for route descriptions: any paid call, any free one, and any that calls an upstream.
import type { ErrorCode } from '@fairgate/contracts/errors/registry.ts'

export const paidCallErrors = [
  'invalid_request',
  'invalid_json',
  'unsupported_media_type',
  'payload_too_large',
  'invalid_api_key',
  'key_blocked',
  'key_expired',
  'team_blocked',
  'contest_closed',
  'event_paused',
  'model_not_allowed',
  'route_not_allowed',
  'model_not_found',
  'rpm_exceeded',
  'tpm_exceeded',
  'parallel_exceeded',
  'budget_exceeded',
  'budget_held',
  'upstream_rate_limited',
  'upstream_rejected',
  'content_policy_violation',
  'upstream_error',
  'upstream_auth',
  'upstream_overloaded',
  'upstream_timeout',
  'unavailable',
] as const satisfies readonly ErrorCode[]

export const freeCallErrors = [
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
