package dev.toolgate.langchain4j.example;

import dev.langchain4j.agent.tool.P;
import dev.langchain4j.agent.tool.Tool;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/** The same tools as they are often written: they ask the back end, and what fails is thrown. */
final class PlainTools {
    private final String billing;
    private final String clinic;

    PlainTools(String billing, String clinic) {
        this.billing = billing;
        this.clinic = clinic;
    }

    @Tool(name = "list_invoices", value = "Lists the invoices of the account, oldest first.")
    String listInvoices(@P(name = "start_date", value = "First day.") String startDate) throws IOException {
        String query = "?start_date=" + URLEncoder.encode(startDate, StandardCharsets.UTF_8);
        return answer(connection(billing + "/invoices" + query));
    }

    @Tool(name = "book_slot", value = "Books an appointment.")
    String bookSlot(
            @P(name = "practitioner_id", value = "Who.") String practitioner,
            @P(name = "start", value = "A quarter of an hour.") String start)
            throws IOException {
        HttpURLConnection connection = connection(clinic + "/bookings");
        connection.setDoOutput(true);
        connection.setRequestProperty("Content-Type", "application/json");
        String body = "{\"practitioner_id\":\"%s\",\"start\":\"%s\"}".formatted(practitioner, start);
        try (OutputStream out = connection.getOutputStream()) {
            out.write(body.getBytes(StandardCharsets.UTF_8));
        }
        return answer(connection);
    }

    private static HttpURLConnection connection(String address) throws IOException {
        return (HttpURLConnection) URI.create(address).toURL().openConnection();
    }

    private static String answer(HttpURLConnection connection) throws IOException {
        try (InputStream in = connection.getInputStream()) { // which throws where the status says so
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
