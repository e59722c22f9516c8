import type en from './en.ts'

/** Machine translation, not yet checked by a native speaker. */
const words: typeof en = {
  title: 'Estado del servicio',
  lead: 'Situación actual y rendimiento reciente.',
  now: 'Ahora',
  allOperational: 'Todos los sistemas funcionan',
  someFailing: 'Algunos sistemas no funcionan',
  components: 'Componente',
  queues: 'Cola',
  queue: 'Cola',
  engines: 'Motor',
  state: 'Estado',
  responseTime: 'Tiempo de respuesta',
  works: 'OK',
  fails: 'sin respuesta',
  installed: 'instalado',
  missing: 'no instalado',
  none: 'Ninguno.',
  refresh: 'Actualizar',
  recent: (days) => `Últimos ${days} días`,
  success: 'Conversiones correctas',
  median: 'La mitad termina en menos de',
  p95: 'El 95 % termina en menos de',
  note: 'Sin contar archivos dañados.',
  unreachable: 'No se puede conectar con el servidor. Compruebe la conexión e inténtelo de nuevo.',
  names: { table: 'Base de datos', files: 'Almacenamiento de archivos', disk: 'Espacio libre en disco' },
}

export default words
