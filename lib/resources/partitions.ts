/** Prefixes of the table's partition keys, by the kind of the records. */
export const partitions = {
  jobs: ['JOB#', 'SLOTS#'],
  uploads: ['UPLOAD#'],
  /** Webhooks with their deliveries and events, and the lists of an owner's records. */
  webhooks: ['WEBHOOK#', 'LANE#', 'STREAM#', 'OWNER#'],
  sockets: ['SOCKET#', 'LIVE#', 'TICKET#'],
  workflows: ['WORKFLOW#'],
  drives: ['DRIVE#', 'DRIVESTATE#'],
  durations: ['DURATION#'],
  usage: ['USAGE#', 'SLO#'],
  requests: ['IDEM#', 'SIGNED#', 'LIMIT#', 'LINK#', 'HEALTH'],
  /** Accounts, with their roles and plans. */
  accounts: ['ACCOUNT#', 'EMAIL#', 'PLAN#', 'MOVE#', 'MOVED#', 'CLOSE#', 'AUDIT#'],
  /** Keys, sessions, tokens, and what is needed to check them. */
  credentials: ['KEY#', 'KEYHASH#', 'OAUTH#', 'AUTH#', 'TOTP#', 'ATTEMPTS#'],
} as const

export type PartitionGroup = keyof typeof partitions
type PartitionPrefix = (typeof partitions)[PartitionGroup][number]

/** Groups of all partitions except those of accounts and credentials. */
export const contentGroups = [
  'jobs',
  'uploads',
  'webhooks',
  'sockets',
  'workflows',
  'drives',
  'durations',
  'usage',
  'requests',
] as const satisfies readonly PartitionGroup[]
export const accountGroups = ['accounts', 'credentials'] as const satisfies readonly PartitionGroup[]
export const allGroups = [...contentGroups, ...accountGroups] as const

/** A group of partitions, or the prefix of a partition. */
export type PartitionName = PartitionGroup | PartitionPrefix

export const listPrefixes = (names: readonly PartitionName[]): readonly PartitionPrefix[] =>
  names.flatMap((name) => (isGroup(name) ? partitions[name] : [name]))

const isGroup = (name: PartitionName): name is PartitionGroup => name in partitions
