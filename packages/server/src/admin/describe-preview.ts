// Says in the reference of each act that has a dry run what the dry run does.

export const previewText =
  'With `dry_run` it answers what would change and changes nothing; the `preview_id` of that answer makes the act fail if it would do something else by then.'
