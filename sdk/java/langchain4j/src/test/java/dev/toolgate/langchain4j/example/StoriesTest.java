package dev.toolgate.langchain4j.example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.toolgate.langchain4j.example.Stories.Figures;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class StoriesTest {
    @Test
    void theStoriesEndAsTheyMustAndBesideThemAsTheyDo() throws Exception {
        List<Figures> played = Stories.play();
        assertGated(played.get(0), 1, 2, "done");
        assertGated(played.get(1), 2, 3, "done");
        assertAlone(played.get(2));
        assertGated(played.get(3), 3, 3, "done, with an alternative"); // the lookup of the slots too
        assertAlone(played.get(4));
    }

    @Test
    void whoSleepsIsCounted() throws Exception {
        Sleeps sleeps = Sleeps.counted();
        Thread.sleep(60);
        assertTrue(sleeps.end().toMillis() >= 60);
    }

    private static void assertGated(Figures figures, int requests, int turns, String ended) {
        assertEquals(requests, figures.requests(), figures.toString());
        assertEquals(turns, figures.model().turns(), figures.toString());
        assertEquals(Duration.ZERO, figures.slept(), figures.toString());
        assertEquals(ended, figures.ended());
    }

    /** LangChain4j shows the model the exception's text, and ends it after 100 round trips. */
    private static void assertAlone(Figures figures) {
        assertEquals(100, figures.requests(), figures.toString());
        assertEquals(101, figures.model().turns(), figures.toString());
        assertFalse(figures.model().done());
        assertTrue(figures.model().bytesRead() > 100 * 60, figures.toString());
        assertTrue(figures.error().contains("exceeded 100 tool calling round trips"), figures.error());
    }
}
