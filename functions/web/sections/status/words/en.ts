/** Texts of the Status section. */
export default {
  title: 'Status',
  lead: 'Current service health and recent performance.',
  now: 'Now',
  allOperational: 'All systems operational',
  someFailing: 'Some systems are not working',
  components: 'Component',
  queues: 'Queue',
  queue: 'Queue',
  engines: 'Engine',
  state: 'Status',
  responseTime: 'Response time',
  works: 'OK',
  fails: 'no reply',
  installed: 'installed',
  missing: 'not installed',
  none: 'None.',
  refresh: 'Refresh',
  recent: (days: number) => `Last ${days} days`,
  success: 'Successful conversions',
  median: 'Half finish within',
  p95: '95% finish within',
  note: 'Excluding corrupt files.',
  unreachable: 'The server cannot be reached. Check your connection and try again.',
  // A newer service may report more parts.
  names: { table: 'Database', files: 'File storage', disk: 'Free disk space' } as Readonly<
    Record<string, string>
  >,
}
