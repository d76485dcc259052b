// Placeholder.
export async function up(): Promise<void> {}
