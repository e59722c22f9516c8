import type en from './en.ts'

/** Machine translation, not yet checked by a native speaker. */
const words: typeof en = {
  title: 'Uso',
  lead: 'Lo que se ha usado y lo que queda del plan.',
  quota: 'Plan actual',
  plan: 'Plan',
  largest: 'Tamaño máximo de archivo',
  filesPerJob: 'Archivos por trabajo',
  runningJobs: 'Trabajos en curso',
  ofLimit: (used, limit) => `${used} de ${limit}`,
  limited: 'Límite',
  limits: (kind, window) => `${kind} ${window}`,
  kinds: {
    requests: 'Solicitudes',
    reads: 'Solicitudes de lectura',
    'conversion-minutes': 'Minutos de conversión',
  },
  windows: { minute: 'por minuto', hour: 'por hora', day: 'por día', month: 'por mes' },
  limit: 'Máximo',
  left: 'Restante',
  resets: 'Se restablece',
  unlimited: 'ilimitado',
  noLimits: 'Sin límites',
  activity: 'Actividad',
  used: 'Usado',
  span: 'Período',
  lastDays: (days) => `Últimos ${days} días`,
  by: 'Agrupar por',
  groupings: { engine: 'Motor', format: 'Formato', key: 'Clave de API' },
  jobsByDay: 'Trabajos por día',
  day: 'Día',
  name: 'Nombre',
  jobs: 'Trabajos',
  completed: 'Terminados',
  failed: 'Fallidos',
  minutes: 'Minutos',
  bytesIn: 'Entrada',
  bytesOut: 'Salida',
  nothing: 'Sin actividad en este período.',
}

export default words
