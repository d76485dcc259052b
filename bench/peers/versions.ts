// The peers' pinned versions. Their dependencies come from the registry as of that day, except for noveum, which has a lock file.

export const versions = {
  /** PyPI. */
  hardcap: ['hardcap==0.1.0'],
  inferrail: ['inferrail==0.4.16'],
  litellm: ['litellm[proxy]==1.108.0', 'prisma==0.15.0'],
  mlflow: ['mlflow[gateway]==3.17.2', 'redis==8.1.0', 'psycopg2-binary==2.9.11'],
  /** npm. */
  portkey: '@portkey-ai/gateway@1.15.2',
  /** crates.io. */
  noveum: 'noveum-ai-gateway@2.0.1',
} as const
