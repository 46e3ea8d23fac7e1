import Fastify from "fastify";
import pg from "pg";

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 20 });
const app = Fastify();
app.get<{ Params: { id: string }; Querystring: { organization_id: string } }>(
  "/leads/:id",
  async (request) => {
    const { rows } = await pool.query({
      name: "read",
      text: process.env.STATEMENT!,
      values: [request.query.organization_id, request.params.id],
    });
    return rows[0];
  },
);
await app.listen({ port: Number(process.env.PORT), host: "127.0.0.1" });
console.log("listening");
