export { appointmentsRoutes } from "./appointments.routes.ts";
export {
  AppAppointmentCreate,
  Appointment,
  AppointmentCancel,
  AppointmentListQuery,
  AppointmentPage,
  AppointmentReschedule,
} from "./appointments.schema.ts";
export { type AppointmentsDeps, bookAppointment } from "./book-appointment.ts";
export { bookFreeTime } from "./book-free-time.ts";
export { cancelAppointment } from "./cancel-appointment.ts";
export { patchAppointment } from "./patch-appointment.ts";
export { listAppointments } from "./read-appointments.ts";
