/** An expected error: a file of the data folder is damaged. Commands print its message without a stack. */
export class DamagedDataError extends Error {}
