// Program that database-check.ts runs: prints what is damaged, or nothing.
import { findDamage } from './database-check.ts'

process.stdout.write(findDamage(process.argv[2] ?? '', 'quick_check(1)') ?? '')
