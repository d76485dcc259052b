// Members of LiteLLM's requests that have no meaning here, each with what to send instead. They are refused, never accepted and ignored:
// whoever sets a limit relies on it.

/** Name of the option of an object's schema that holds such a table. */
export const substitutesOption = 'x-substitutes'

export type Substitutes = Readonly<Record<string, string>>

/** Options of a strict body that names the substitutes of members it refuses. */
export function strictWith(substitutes: Substitutes) {
  return { additionalProperties: false, [substitutesOption]: substitutes }
}

const noRouting = 'Models, fallbacks and upstreams are the same for all teams: set them in models.yaml.'
const oneWindow = 'A team or key has one budget and one period: send max_budget and budget_duration.'
const ownSpend = 'Spend is the sum of the charges. To correct a charge, use POST /calls/{call_id}/adjust.'
const perMinute = 'Limits count per minute: send tpm_limit and rpm_limit.'
const lowBudget =
  'Organisers get a notice about every team that has spent 80 % of its budget: GET /attention, and the webhook event budget_low.'

const ofBoth: Substitutes = {
  budget_id: 'There are no shared budgets: send max_budget and budget_duration.',
  budget_limits: oneWindow,
  default_estimated_output_tokens: 'Models have this as typical_output: set it in models.yaml.',
  disable_global_guardrails: 'There are no global guardrails: leave it out.',
  mcp_rpm_limit: perMinute,
  object_permission: 'Send models, and allowed_routes of the keys.',
  policies: 'Send models, and allowed_routes of the keys.',
  prompts: 'There are no stored prompts: leave it out.',
  access_group_ids: 'There are no access groups: send models.',
  allowed_passthrough_routes: 'Send allowed_routes of the keys, such as ["/vendor/*"].',
  denied_passthrough_routes: 'Send allowed_routes of the keys: routes that it does not name are refused.',
  router_settings: noRouting,
  rpm_limit_type: 'Limits are exact: leave it out.',
  tpm_limit_type: 'Limits are exact: leave it out.',
  spend: ownSpend,
  tpd_limit: perMinute,
}

/** Refused members of `POST /team/new` and `/team/update`. */
export const refusedOfTeams: Substitutes = {
  ...ofBoth,
  soft_budget: lowBudget,
  max_parallel_requests:
    'Parallel calls are limited per key: send max_parallel_requests with POST /key/generate or /key/update. A whole team is limited by rpm_limit and tpm_limit.',
  model_max_budget: 'Budgets per model belong to keys: send model_max_budget with POST /key/generate.',
  model_aliases: 'Aliases belong to keys: send aliases with POST /key/generate.',
  admins: 'Send members_with_roles, or create members with POST /people.',
  members: 'Send members_with_roles, or create members with POST /people.',
  team_member_budget: "Send max_budget of the members' keys.",
  team_member_budget_duration: "Send budget_duration of the members' keys.",
  team_member_rpm_limit: "Send rpm_limit of the members' keys.",
  team_member_tpm_limit: "Send tpm_limit of the members' keys.",
  team_member_key_duration: "Send duration of the members' keys.",
}

const ofKeys: Substitutes = {
  ...ofBoth,
  soft_budget: lowBudget,
  agent_id: 'Name the owner in user_id or member_id.',
  project_id: 'Name the owner in user_id or member_id.',
  auto_rotate: 'Secrets do not change by themselves: use POST /key/regenerate.',
  rotation_interval: 'Secrets do not change by themselves: use POST /key/regenerate.',
  budget_fallbacks: noRouting,
  enforced_params: 'Every request is checked against its schema: leave it out.',
  key_type: 'Send allowed_routes. Keys never manage: that is done with an admin key.',
  send_invite_email: 'No mail is sent: use claim links (POST /claims).',
  tag_rpm_limit: perMinute,
  throttle_on_budget_exceeded: 'A spent budget refuses calls: leave it out.',
}

/** Refused members of `POST /key/generate`. */
export const refusedOfNewKeys: Substitutes = {
  ...ofKeys,
  key: 'The server makes each key: use the one in the reply.',
}

/** Refused members of `POST /key/update`. */
export const refusedOfKeyChanges: Substitutes = {
  ...ofKeys,
  team_id:
    'A key stays in its team: create one in the other team with POST /key/generate and delete this one.',
  temp_budget_increase: 'Send max_budget, or raise the budget of the team with POST /team/{team_id}/grant.',
  temp_budget_expiry: 'A grant to a team ends with its budget period: use POST /team/{team_id}/grant.',
}

const update = 'Change it with POST /key/update: this request only replaces the secret.'

/** Refused members of `POST /key/regenerate` and `/key/{key}/regenerate`. */
export const refusedOfNewSecrets: Substitutes = {
  ...Object.fromEntries(
    [
      ...[
        'key_alias',
        'duration',
        'user_id',
        'models',
        'aliases',
        'metadata',
        'max_budget',
        'blocked',
        'tags',
      ],
      ...['budget_duration', 'max_parallel_requests', 'tpm_limit', 'rpm_limit', 'model_max_budget', 'config'],
      ...['model_rpm_limit', 'model_tpm_limit', 'permissions', 'allowed_routes', 'allowed_cache_controls'],
    ].map(name => [name, update]),
  ),
  ...refusedOfKeyChanges,
  new_key: 'The server makes each secret: use the one in the reply.',
  new_master_key: 'Admin keys have their own routes: POST /admin_keys.',
}

/** Members of one model's budget in `model_max_budget` of a key. */
export const refusedOfModelBudgets: Substitutes = {
  rpm_limit: 'Send model_rpm_limit of the key.',
  tpm_limit: 'Send model_tpm_limit of the key.',
}
